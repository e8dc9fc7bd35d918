import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCheckpoints } from '@curfew/agent/tools'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../../../test/support/random.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { until } from '../../../test/support/until.ts'
import { actions, git, openWorkspace, readTree } from './support/checkpoint-setup.ts'

const fixture = fileURLToPath(new URL('fixtures/checkpoint-process.js', import.meta.url))

interface Started {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Promise<number | null>
}

function start(...args: string[]): Started {
  const child = spawn(process.execPath, [fixture, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk
    })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: () => text, ended }
}

/** As the fixture writes it. */
function filesOf(state: number): Record<string, string> {
  const files: Record<string, string> = {}
  for (let file = 0; file < 30; file++)
    if ((state + file) % 5 !== 0)
      files[`folder-${file % 7}/file-${file}`] = `file ${`${state * file}`.repeat(50 + file)}`
  return files
}

test('several processes take checkpoints of the same workspace at the same time', async () => {
  const { root, folder, write, checkpoints } = openWorkspace()
  write('a', '1')
  const started = [1, 2, 3].map(() => start(root, folder, 'take', '4'))
  for (const { ended, output } of started) {
    expect(await ended).toBe(0)
    expect(output()).toBe('')
  }
  const numbers = (await checkpoints.list()).map(({ number }) => number).reverse()
  expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
})

test('after SIGKILL at any moment, every checkpoint can be restored', async () => {
  const { base, root, folder, checkpoints: first } = openWorkspace()
  await first.close()
  const random = new Random(testSeed())
  for (let round = 0; round < 8; round++) {
    const { child, output, ended } = start(root, folder, 'loop', String(1 + round * 1_000))
    const moment = round % 2 === 0 ? /restoring/ : /restored/
    await until(() => moment.test(output()))
    await new Promise((resolve) => setTimeout(resolve, random.below(300)))
    child.kill('SIGKILL')
    await ended
    const notices: string[] = []
    const checkpoints = createCheckpoints({
      root,
      folder,
      conversation: 'test',
      isSecret: () => false,
      onNotice: (notice) => notices.push(notice),
    })
    const { restore } = actions(root, checkpoints)
    const saved = await checkpoints.list()
    // Checkpoints of whole states; those before a restore may contain what the killed process left.
    const states = saved.filter(({ followedBy }) => followedBy[0]!.startsWith('state '))
    expect(states.length).toBeGreaterThan(0)
    for (const { number, position } of states.slice(0, 3)) {
      expect((await restore(number)).failed).toEqual([])
      expect(readTree(root)).toEqual(filesOf(position))
    }
    expect(notices.filter((notice) => !/^restoring checkpoint \d+ was interrupted/.test(notice))).toEqual([])
    await checkpoints.close()
  }
  const [workspace] = readdirSync(join(folder, 'checkpoints'))
  expect(
    readdirSync(join(folder, 'checkpoints', workspace!)).filter((name) =>
      /^(index\.|restoring|rules-)/.test(name),
    ),
  ).toEqual([])
  expect(existsSync(base)).toBe(true)
})

test('a restore that was killed is reported, and can be repeated or undone', async () => {
  const { root, folder, take, write, checkpoints, notices, files } = openWorkspace()
  for (let file = 0; file < 2_000; file++) write(`folder-${file % 50}/${file}`, 'before')
  const number = await take()
  for (let file = 0; file < 2_000; file++) write(`folder-${file % 50}/${file}`, 'after')
  const { child, ended } = start(root, folder, 'restore', String(number))
  const [workspace] = readdirSync(join(folder, 'checkpoints'))
  await until(() => existsSync(join(folder, 'checkpoints', workspace!, 'restoring')))
  await until(() => isRestored(root))
  child.kill('SIGKILL')
  await ended
  const contents = new Set(Object.values(files()))
  const { signal } = new AbortController()
  const plan = await checkpoints.plan(2, { signal })
  expect(notices).toEqual([
    'restoring checkpoint 1 was interrupted: /restore 1 repeats it, /restore 2 returns to the state before it',
  ])
  await checkpoints.restore(plan, { position: 0, followedBy: [], signal })
  expect(contents).toContain('file before')
  expect(Object.keys(files())).toHaveLength(2_000)
  expect(new Set(Object.values(files()))).toEqual(new Set(['file after']))
})

/** True once a file has been restored. */
function isRestored(root: string): boolean {
  return Array.from({ length: 2_000 }, (_, file) => join(root, `folder-${file % 50}/${file}`)).some(
    (path) => {
      try {
        return readFileSync(path, 'utf8') === 'before'
      } catch {
        // It is being replaced.
        return false
      }
    },
  )
}

test('the repository of the project is the same, byte for byte, whatever happens', async () => {
  const { root, take, restore, write } = openWorkspace()
  git(root, 'init', '-q')
  write('a', '1')
  write('b', '1')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'x')
  write('a', '2')
  git(root, 'add', 'a')
  write('b', '2')
  const status = git(root, 'status', '--porcelain')
  const repository = readTree(join(root, '.git'))
  const number = await take()
  rmSync(join(root, 'a'))
  write('c', '1')
  await restore(number)
  expect(readTree(join(root, '.git'))).toEqual(repository)
  expect(git(root, 'status', '--porcelain')).toBe(status)
})
