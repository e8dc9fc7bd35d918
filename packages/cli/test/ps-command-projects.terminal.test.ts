import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'
import { until } from '../../../test/support/until.ts'
import { plainEnvironment } from './plain-environment.ts'
import { answer, call } from './prompt-support.ts'
import { type ListedCall, PsSetup } from './ps-support.ts'
import { ending, startCurfew } from './run-curfew.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const setup = new PsSetup()

test('a process that is stopped is listed from the journal, and cannot be reached', async () => {
  const { child } = setup.beginCall()
  const [found] = await setup.untilListed(1)
  child.kill('SIGSTOP')
  try {
    expect(await setup.listed()).toMatchObject([{ id: found!.id, contact: 'silent' }])
    expect((await setup.run('ps')).stdout).toContain('running (process does not respond)')
  } finally {
    child.kill('SIGCONT')
  }
  expect((await setup.untilListed(1))[0]).toMatchObject({ contact: 'connected' })
})

test('calls of other projects are listed with --all, and can be cancelled from anywhere', async () => {
  setup.beginCall()
  const other = join(setup.home, 'elsewhere')
  const run = (args: readonly string[]) => ending(startCurfew(args, setup.environment(), other))
  execFileSync('mkdir', ['-p', join(other, '.curfew')])
  const [found] = await setup.untilListed(1)
  expect((await run(['ps'])).stdout).toBe(`nothing is running in ${other}\n`)
  expect((await run(['ps', '--all'])).stdout).toMatch(
    new RegExp(`^project .*\n\\S*${setup.project.split('/').at(-1)} +${found!.id} `),
  )
  expect(JSON.parse((await run(['ps', '--all', '--json'])).stdout).calls).toMatchObject([{ id: found!.id }])
  expect(await run(['cancel', found!.id])).toMatchObject({ code: 0 })
})

test('a journal that cannot be read is an error, and left out with --all', async () => {
  setup.beginCall()
  await setup.untilListed(1)
  const folder = join(setup.home, '.local/state/curfew/journal')
  const other = join(folder, '0123456789abcdef.db')
  writeFileSync(other, 'not a journal '.repeat(100))
  const all = await setup.run('ps', '--all')
  expect(all.stderr).toMatch(/^warning: cannot read the journal .*0123456789abcdef\.db: it is damaged/)
  expect(all.stdout).toContain('script_wait')
  await setup.stop()
  await until(async () => (await setup.listed()).length === 0)
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'not a journal '.repeat(100))
  const own = await setup.run('ps')
  expect(own).toMatchObject({ code: 1, stdout: '' })
  expect(own.stderr).toMatch(/^curfew: cannot read the journal .*: it is damaged/)
})

describe('--watch without a terminal', () => {
  test('prints the list when it changes, and one object per line with --json', async () => {
    const texts = [
      ['ps', '--watch'],
      ['ps', '--watch', '--json'],
    ].map((args) => {
      const { child } = setup.begin(...args)
      const output = { text: '' }
      child.stdout!.on('data', (chunk) => {
        output.text += chunk
      })
      return output
    }) as [{ text: string }, { text: string }]
    await until(() => texts.every(({ text }) => text !== ''))
    setup.beginCall()
    const [{ id }] = (await setup.untilListed(1)) as [ListedCall]
    await until(() => texts.every(({ text }) => text.includes(id)))
    await setup.run('cancel', id)
    const objects = (): { calls: ListedCall[] }[] =>
      texts[1].text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    await until(() => objects().length >= 3 && objects().at(-1)!.calls.length === 0)
    await until(() => texts[0].text.split('\n\n').length >= 3 && /\n\nnothing is .+\n$/.test(texts[0].text))
    expect(texts[0].text).toMatch(
      /^nothing is running in .+\n\nid .+\n.+script_wait.*\n\n(id[\s\S]+\n\n)?nothing is running in .+\n$/,
    )
    expect(objects()[0]).toEqual({ calls: [], omitted: 0 })
  })

  test('ends when nobody reads its output', async () => {
    const { child } = setup.begin('ps', '--watch')
    await once(child.stdout!, 'data')
    child.stdout!.destroy()
    const exited = once(child, 'exit')
    setup.beginCall()
    await exited
    expect(child.exitCode).toBe(0)
  })
})

test.runIf(hasTerminal)('on a terminal, calls are grouped by process, with a bar', async () => {
  setup.beginCall('text=hello')
  const [{ id, pid }] = (await setup.untilListed(1)) as [ListedCall]
  const { stdout, code } = await runInTerminal(['ps'], setup.environment(), setup.project, [])
  expect(code).toBe(0)
  const text = stripVTControlCharacters(stdout)
  expect(text).toContain(`call (process ${pid})`)
  expect(text).toMatch(new RegExp(`${id} .*script_wait hello · \\d+ s of 5 min ░`))
})

test('a call of curfew -p is cancelled, and the model gets the reason with the other results', async () => {
  setup.script('wait', 'exec sleep 300')
  setup.script('quick', 'echo done')
  const calls = [...call('script_wait'), ...call('script_quick')]
  const { server, model } = await setup.serve([calls, answer('One was cancelled.')])
  const allowed = ['--allow', 'script_wait', '--allow', 'script_quick']
  const { ended } = setup.begin('-p', 'Wait', ...allowed, '--model', model)
  const [found] = await setup.untilListed(1)
  expect(found).toMatchObject({ program: 'prompt', tool: 'script_wait' })
  expect(await setup.run('cancel', found!.id, '--reason', 'not needed')).toMatchObject({ code: 0 })
  expect(await ended).toMatchObject({ code: 0, stdout: 'One was cancelled.\n' })
  expect(JSON.stringify(server.requests.at(-1))).toContain('not needed')
})

/** `nobody`, if we may run commands as that user. */
const otherUser = ['--reuid', '65534', '--regid', '65534', '--clear-groups']
const canSwitchUser = process.getuid?.() === 0 && spawnSync('setpriv', [...otherUser, 'true']).status === 0

test.runIf(canTest(canSwitchUser ? null : 'a second user needs root and setpriv'))(
  'another user can neither see nor cancel a call, even with our environment',
  async () => {
    setup.beginCall()
    const [{ id }] = (await setup.untilListed(1)) as [ListedCall]
    const asOther = (...args: string[]) =>
      spawnSync('setpriv', [...otherUser, process.execPath, bin, ...args], {
        encoding: 'utf8',
        cwd: '/',
        env: plainEnvironment({ ...setup.environment(), NODE_COMPILE_CACHE: '' }),
      })
    // The parents of our home can be entered, so that only its own protection counts.
    for (const folder of [join(setup.home, '..'), setup.home]) chmodSync(folder, 0o755)
    const ps = asOther('ps', '--all')
    expect(ps.stdout).toBe('nothing is running\n')
    const cancel = asOther('cancel', id)
    expect(cancel.status).toBe(1)
    expect(cancel.stdout).toBe('')
    expect(cancel.stderr).toMatch(/there is no such call|permission denied/)
    chmodSync(join(setup.home, '..'), 0o700)
    expect(await setup.listed()).toMatchObject([{ id, status: 'executing' }])
  },
)

describe('curfew cancel', () => {
  test('suggests the id of a running call', async () => {
    setup.beginCall()
    const [{ id }] = (await setup.untilListed(1)) as [ListedCall]
    const wrong = `${id.startsWith('x') ? 'y' : 'x'}${id.slice(1)}`
    expect((await setup.run('cancel', wrong)).stderr).toBe(
      `curfew cancel: ${wrong}: there is no such call; did you mean ${id}?\n`,
    )
    const last = id.replace(/\d+$/, '99')
    expect((await setup.run('cancel', last)).stderr).toBe(
      `curfew cancel: ${last}: there is no such call; there is only ${id}\n`,
    )
  })
})
