import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CommandToolOptions,
  checkSandbox,
  commandTools,
  createWorkspace,
  sandboxChecks,
} from '@curfew/agent/tools'
import { processIdentity } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { type CommandSetup, setUpCommands } from './support/command-setup.ts'
import { createRepository, git } from './support/git-repository.ts'

const problem = await checkSandbox('workspace')
if (problem !== null) process.stdout.write(`tests of the checks after commands are skipped: ${problem}\n`)

const setUp = (options: Omit<CommandToolOptions, 'runtime'> = {}) =>
  setUpCommands({ sandbox: 'workspace', ...options }, { ask: () => 'once' })
const evil = 'git init -q sub; git -C sub config core.fsmonitor x'

async function start({ run }: CommandSetup, command: string): Promise<number> {
  const { task } = (await run(command, { background: true })) as unknown as { task: number }
  return task
}

async function endOf({ call }: CommandSetup, task: number): Promise<string> {
  const read = async () => (await call('read_output', { task })).content
  await until(async () => (await read()).includes('failed'))
  return read()
}

describe.runIf(problem === null)('the check of a command in the sandbox', () => {
  test('finds what another command has created that is still running', async () => {
    const set = setUp()
    const wait = 'until test -e go; do sleep 0.02; done'
    const first = set.run(`mkdir app; echo x > app/AGENTS.md; touch ready; ${wait}`)
    await until(() => fs.existsSync(join(set.folder, 'ready')))
    // It is a mount point of this command, but the first one could have put it there.
    expect((await set.run('true')).content).toMatch(/app\/AGENTS\.md .*appeared/)
    fs.writeFileSync(join(set.folder, 'go'), '')
    await first
    expect(fs.readdirSync(join(set.folder, 'app'))).toEqual([])
  })

  test('finds a repository in the place of another one', async () => {
    const set = setUp()
    const [sub, other] = ['sub', 'other'].map((name) => join(set.folder, name)) as [string, string]
    for (const one of [sub, other]) createRepository(one)
    git(other, 'config', 'core.fsmonitor', 'x')
    const task = await start(set, 'sleep 100')
    fs.rmSync(join(sub, '.git'), { recursive: true })
    fs.renameSync(join(other, '.git'), join(sub, '.git'))
    expect(await endOf(set, task)).toMatch(/sub\/\.git .*appeared[\s\S]*was moved to/)
    expect(fs.existsSync(join(sub, '.git'))).toBe(false)
  })

  test('notices a hidden file that was removed and created again', async () => {
    const set = setUp()
    const path = join(set.folder, '.env')
    fs.writeFileSync(path, 'old')
    const task = await start(set, 'sleep 100')
    // On ext4, it has the same inode number.
    fs.rmSync(path)
    fs.writeFileSync(path, 'new')
    expect(await endOf(set, task)).toContain('.env was replaced or removed')
  })

  test('looks at hidden files often if their folders cannot be watched', async () => {
    const set = setUp()
    fs.writeFileSync(join(set.folder, '.env'), '')
    const { watch, lstatSync } = fs
    let count = 0
    Object.assign(fs, {
      watch() {
        throw new Error('ENOSPC')
      },
      lstatSync(path: string, options: object) {
        if (path === join(set.folder, '.env')) count++
        return lstatSync(path, options)
      },
    })
    syncBuiltinESMExports()
    try {
      await start(set, 'sleep 100')
      await until(() => count > 20, 10_000)
    } finally {
      Object.assign(fs, { watch, lstatSync })
      syncBuiltinESMExports()
    }
  })

  test('is waited for after the call has been cancelled', async () => {
    const findings: string[] = []
    const onFinding = (one: string): unknown => findings.push(one)
    const { run, runtime, folder, workspace } = setUp({ onFinding })
    const running = run('mkdir app $(seq 300); echo x > app/AGENTS.md; touch ready; sleep 100')
    await until(() => fs.existsSync(join(folder, 'ready')))
    await runtime.close()
    await sandboxChecks(workspace)
    expect(findings).toEqual([expect.stringMatching(/app\/AGENTS\.md .*was moved to/)])
    expect(fs.readdirSync(join(folder, 'app'))).toEqual([])
    await running
  })

  test('is completed by the next process if Curfew was killed', async () => {
    const set = setUp()
    const { folder, stateFolder, runtime } = set
    fs.writeFileSync(join(folder, 'AGENTS.md'), '')
    const checks = join(stateFolder, 'checks')
    const task = await start(set, 'sleep 100')
    const [name = ''] = fs.readdirSync(checks)
    const dead = `${spawnSync('true').pid}-1-${processIdentity.split('-')[2]}`
    fs.renameSync(join(checks, name), join(checks, `${dead}.1.json`))
    await set.call('stop_command', { task })
    await sandboxChecks(set.workspace)
    spawnSync('sh', ['-c', `${evil}; mkdir app; echo x > app/AGENTS.md`], { cwd: folder })
    const findings: string[] = []
    const workspace = createWorkspace({ root: folder })
    commandTools(workspace, { runtime, stateFolder, onFinding: (one) => findings.push(one) })
    await until(() => findings.length === 2)
    expect(fs.readdirSync(checks)).toEqual([])
    expect(fs.readdirSync(folder).toSorted()).toEqual(['AGENTS.md', 'app', 'sub'])
    for (const one of ['app', 'sub']) expect(fs.readdirSync(join(folder, one))).toEqual([])
  })

  test('moves away what it found without space in the state folder', async () => {
    const { run, folder, stateFolder } = setUp()
    fs.writeFileSync(join(stateFolder, 'quarantine'), '')
    expect((await run(evil)).content).toMatch(/was moved to .*sub\/\.git\.quarantine-/)
    const [name = ''] = fs.readdirSync(join(folder, 'sub'))
    expect(name).toMatch(/^\.git\.quarantine-/)
    expect(fs.statSync(join(folder, 'sub', name)).mode & 0o777).toBe(0)
  })

  test('is completed after the end of a container, whose processes have unknown ends', async () => {
    const findings: string[] = []
    const { folder, stateFolder } = setUp({ onFinding: (one) => findings.push(one) })
    const checks = join(stateFolder, 'checks')
    fs.mkdirSync(checks)
    const record = { folders: [folder], known: [], links: [], git: null }
    fs.writeFileSync(join(checks, '7-1-1.1.json'), JSON.stringify(record))
    spawnSync('sh', ['-c', evil], { cwd: folder })
    await until(() => findings.length === 1 && fs.readdirSync(checks).length === 0)
    expect(fs.readdirSync(join(folder, 'sub'))).toEqual([])
  })

  test('is repeated until it succeeds, and no command runs before', async () => {
    const set = setUp()
    const { run, folder, stateFolder } = set
    const checks = join(stateFolder, 'checks')
    const { renameSync } = fs
    Object.assign(fs, {
      renameSync(from: string, to: string) {
        if (to.includes('quarantine')) throw new Error('ENOSPC')
        renameSync(from, to)
      },
    })
    syncBuiltinESMExports()
    try {
      const { content } = await run(`mkdir app; echo x > app/AGENTS.md; ${evil}`)
      expect(content).toMatch(/sub\/\.git .* could not be moved away: ENOSPC/)
      // Nobody can use them meanwhile.
      for (const path of ['app/AGENTS.md', 'sub/.git'])
        expect(fs.statSync(join(folder, path)).mode & 0o777).toBe(0)
      expect((await run('touch started')).content).toMatch(
        /check .* did not succeed: .*ENOSPC; no command runs/,
      )
      expect(fs.readdirSync(checks)).toHaveLength(1)
    } finally {
      Object.assign(fs, { renameSync })
      syncBuiltinESMExports()
    }
    expect(await run('true')).toMatchObject({ value: { exit_code: 0, notes: [] } })
    expect(fs.readdirSync(checks)).toEqual([])
    expect(fs.readdirSync(folder).toSorted()).toEqual(['app', 'sub'])
    for (const one of ['app', 'sub']) expect(fs.readdirSync(join(folder, one))).toEqual([])
  })

  test('is not skipped if a command cannot continue in the background', async () => {
    const { runtime, folder, workspace, stateFolder } = setUp()
    const tools = commandTools(workspace, { runtime, stateFolder, sandbox: 'workspace' })
    const controller = new AbortController()
    const context = {
      ...{ uid: 1, signal: controller.signal, depth: 0, maxDepth: 1, traceContext: {} },
      deadline: { timeoutMs: 30_000, remainingMs: 30_000 },
      ...{ log: () => {}, output: () => {}, ask: () => Promise.reject(new Error()) },
      async detach() {
        await until(() => fs.existsSync(join(folder, 'app/AGENTS.md')))
        throw new Error('it was cancelled')
      },
    }
    fs.writeFileSync(join(folder, 'run'), 'mkdir app; echo x > app/AGENTS.md; sleep 100')
    const params = { command: 'sh ./run', cwd: '.', background: true, timeout_seconds: 9 }
    const { execute } = tools.find(({ name }) => name === 'run_command') as unknown as {
      execute: (params: object, context: object) => Promise<unknown>
    }
    await expect(execute(params, context)).rejects.toThrow('it was cancelled')
    expect(fs.readdirSync(join(folder, 'app'))).toEqual([])
    expect(fs.readdirSync(join(stateFolder, 'checks'))).toEqual([])
  })

  test('manages more links than a call may have arguments', async () => {
    const { run, folder } = setUp()
    const { readdirSync } = fs
    const link = { isSymbolicLink: () => true, isDirectory: () => false, isFile: () => false }
    const links = Array.from({ length: 130_000 }, (_, index) => ({ name: `${index}`, ...link }))
    fs.mkdirSync(join(folder, 'many'))
    Object.assign(fs, {
      readdirSync: (path: string, options: object) =>
        path === join(folder, 'many') ? links : readdirSync(path, options),
    })
    syncBuiltinESMExports()
    try {
      expect((await run(evil)).content).toMatch(/sub\/\.git .*was moved to/)
    } finally {
      Object.assign(fs, { readdirSync })
      syncBuiltinESMExports()
    }
  })

  const memory = '/dev/shm'
  const isOtherDisk = fs.existsSync(memory) && fs.statSync(memory).dev !== fs.statSync(tmpdir()).dev
  test.runIf(isOtherDisk)(
    'moves away folders that cannot be read, with a state folder on another disk',
    async () => {
      const stateFolder = fs.mkdtempSync(join(memory, 'curfew-state-'))
      try {
        const { run } = setUp({ stateFolder })
        const { content } = await run(`${evil}; mkdir -p sub/.git/a/b; chmod 000 sub/.git/a`)
        expect(content).toMatch(/was moved to .*sub\/\.git\.quarantine-/)
        expect(await run('true')).toMatchObject({ value: { exit_code: 0, notes: [] } })
      } finally {
        fs.rmSync(stateFolder, { recursive: true })
      }
    },
  )

  test('reports a command that ran, also if it prints the same as bubblewrap', async () => {
    const { run } = setUp()
    expect(await run('echo bwrap: x >&2; exit 1')).toMatchObject({
      value: { exit_code: 1, stderr: 'bwrap: x' },
    })
  })
})
