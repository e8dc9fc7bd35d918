import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wireFormats } from '../../../packages/torture/src/model-server/start-model-server.ts'
import { answer, call, PromptSetup, problemsOf } from './prompt-support.ts'
import { ending } from './run-curfew.ts'
import { eventually } from './terminal-shell.ts'

const setup = new PromptSetup()
const root = (): string => join(setup.home, '.local/state/curfew/sessions')
const files = (): string[] =>
  existsSync(root())
    ? readdirSync(root()).flatMap((folder) =>
        readdirSync(join(root(), folder)).map((name) => join(root(), folder, name)),
      )
    : []
const idsOf = async (): Promise<string[]> =>
  JSON.parse((await setup.run('sessions', '--json')).stdout).sessions.map(({ id }: { id: string }) => id)

describe('a conversation', () => {
  it('is saved, readable only by the user, and continued with all messages', async () => {
    await setup.prompt([call('sleep', { seconds: 0.01 }), answer('Rested.')], '-p', 'Rest first')
    expect(files()).toHaveLength(1)
    expect(statSync(files()[0]!).mode & 0o777).toBe(0o600)
    const next = await setup.prompt([answer('You asked me to rest.')], '--continue', '-p', 'What did I ask?')
    expect(next.stdout).toBe('You asked me to rest.\n')
    expect(JSON.stringify(next.server.requests[0]!.body)).toMatch(/Rest first.*Rested\..*What did I ask\?/)
    expect(files()).toHaveLength(1)
  })

  it('is resumed by its id, or the last part of it', async () => {
    await setup.prompt([answer('one')], '-p', 'First')
    await setup.prompt([answer('two')], '-p', 'Second')
    const ids = await idsOf()
    expect(ids).toHaveLength(2)
    const resumed = await setup.prompt([answer('ok')], '--resume', ids[1]!.slice(-3), '-p', 'Again')
    expect(JSON.stringify(resumed.server.requests[0]!.body)).toContain('First')
    expect(JSON.stringify(resumed.server.requests[0]!.body)).not.toContain('Second')
    const whole = await setup.prompt([answer('ok')], '-p', 'Again', `--resume=${ids[0]}`)
    expect(JSON.stringify(whole.server.requests[0]!.body)).toContain('Second')
  })

  it('goes on in a copy if another process uses it', async () => {
    await setup.prompt([answer('one')], '-p', 'First')
    const slow = await setup.serve([[{ text: 'a' }, { stall: true }]])
    const child = setup.start(['--continue', '-p', 'Slow', '--model', slow.model])
    const first = ending(child)
    await eventually('the first process is running', () => slow.server.requests.length > 0)
    const second = await setup.prompt([answer('two')], '--continue', '-p', 'Fast')
    expect(second.stderr).toMatch(/is in use by another process, so this conversation continues in a copy/)
    expect(second.stdout).toBe('two\n')
    child.kill('SIGTERM')
    expect(await first).toMatchObject({ code: 143, stdout: 'a\n' })
    expect(await idsOf()).toHaveLength(2)
  })

  it('is summarized with /compact', async () => {
    const long = 'All work and no play makes a dull text. '.repeat(1_000)
    await setup.prompt([answer(long)], '-p', `First ${long}`)
    await setup.prompt([answer(long)], '--continue', '-p', `Second ${long}`)
    await setup.prompt([answer(long)], '--continue', '-p', `Third ${long}`)
    const compacted = await setup.prompt(
      [answer('THE SUMMARY')],
      '--continue',
      '-p',
      '/compact keep the words',
    )
    expect(compacted).toMatchObject({ code: 0, stdout: expect.stringMatching(/replaced by a summary/) })
    const next = await setup.prompt([answer('ok')], '--continue', '-p', 'Go on')
    const request = JSON.stringify(next.server.requests[0]!.body)
    expect(request).toContain('THE SUMMARY')
    expect(request).not.toContain('First All work')
  })

  it('is not saved with --no-session', async () => {
    await setup.prompt([answer('ok')], '-p', 'Go', '--no-session')
    expect(files()).toEqual([])
  })

  it('contains no secrets', async () => {
    setup.script('leak', 'echo "$CANARY_KEY"', { secrets: ['CANARY_KEY'] })
    const canary = 'canary-0123456789-secret'
    const { model, server } = await setup.serve([call('script_leak'), answer(`It is ${canary}.`)])
    const child = setup.start(
      ['-p', 'Use the key', '--yes', '--output', 'stream-json', '--model', model],
      'ignore',
      {
        CANARY_KEY: canary,
      },
    )
    const ended = await ending(child)
    expect(ended.code).toBe(0)
    const bodies = JSON.stringify(server.requests.slice(1).map(({ body }) => body))
    expect(bodies).not.toContain(canary)
    expect(readFileSync(files()[0]!, 'utf8')).not.toContain(canary)
    expect(ended.stdout + ended.stderr).not.toContain(canary)
    expect(ended.stdout).toContain('[secret CANARY_KEY]')
  })

  it.each(wireFormats)('goes on after kill -9 during a call, which counts as lost (%s)', async (format) => {
    setup.script('slow', `touch '${setup.project}/started'; sleep 60`)
    const first = await setup.serve([call('script_slow', { text: 'x' })], format)
    const child = setup.start(['-p', 'Go', '--yes', '--model', first.model])
    const ended = ending(child)
    await eventually('the script has started', () => existsSync(join(setup.project, 'started')))
    child.kill('SIGKILL')
    await ended
    const second = await setup.serve([answer('It was lost.')], format)
    const next = await setup.run('--continue', '-p', 'What happened?', '--model', second.model)
    expect(problemsOf(second)).toEqual([])
    expect(next).toMatchObject({ code: 0, stdout: 'It was lost.\n' })
    expect(next.stderr).toContain('script_slow was running when the conversation was interrupted')
    expect(JSON.stringify(second.server.requests[0]!.body)).toContain(
      'lost: the process ended while this call was running',
    )
  })
})

describe('which conversation', () => {
  it('--continue without one is an error', async () => {
    const { model } = await setup.serve([answer('ok')])
    expect(await setup.run('--continue', '-p', 'Go', '--model', model)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there are no saved conversations about'),
    })
  })

  it('--resume without an id and without a terminal lists them', async () => {
    await setup.prompt([answer('ok')], '-p', 'The first prompt')
    const [id] = await idsOf()
    const ended = await setup.run('--resume', '-p', 'Go', '--model', 'openai-compatible:x@http://127.0.0.1:1')
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain('expected the id of a session')
    expect(ended.stderr).toMatch(new RegExp(`${id} .* The first prompt`))
  })

  it('an unknown id is an error', async () => {
    const ended = await setup.run(
      '--resume',
      'zzz',
      '-p',
      'Go',
      '--model',
      'openai-compatible:x@http://127.0.0.1:1',
    )
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('"zzz"') })
  })

  it.each([
    [['--continue', '--resume']],
    [['--continue', '--no-session']],
    [['--resume', 'x', '--no-session']],
  ])('%j cannot be combined', async (options) => {
    expect(await setup.run('-p', 'Go', ...options)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be combined'),
    })
  })
})

describe('curfew sessions', () => {
  it('lists the conversations about this project, or all of them, and removes them', async () => {
    await setup.prompt([answer('ok')], '-p', 'Hello\u001b[2J there')
    const [id] = await idsOf()
    const listed = await setup.run('sessions')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toMatch(new RegExp(`^id .*prompt\n${id}  .* ago +1 +Hello`))
    expect((await setup.run('sessions', '--all')).stdout).toContain(`${setup.project}\nid`)
    expect(await setup.run('sessions', 'remove', id!.slice(-3))).toMatchObject({
      code: 0,
      stdout: `removed ${id}\n`,
    })
    expect(await setup.run('sessions')).toMatchObject({
      code: 0,
      stdout: `no conversations about ${setup.project} are saved\n`,
    })
    expect(await setup.run('sessions', 'remove', id!)).toMatchObject({ code: 2, stdout: '' })
  })
})
