import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

const setup = new PromptSetup()
const script = [call('script_touch', { text: 'a' }), answer('Done.')]
const wasRun = (): boolean => existsSync(join(setup.project, 'touched'))

beforeEach(() => setup.script('touch', `touch '${setup.project}/touched'`))

describe('without a terminal', () => {
  it('a call that needs approval is denied; the option that is named allows it', async () => {
    const denied = await setup.prompt(script, '-p', 'Go')
    expect(denied).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(wasRun()).toBe(false)
    const [, rule] = /DENIED: script_touch was denied: it needs approval.*--allow '([^']+)'/.exec(
      denied.stderr,
    )!
    expect(rule).toBe('script_touch(a)')
    expect(JSON.stringify(denied.server.requests[1]!.body)).toContain("--allow 'script_touch(a)'")
    await setup.prompt(script, '-p', 'Go', '--allow', rule!)
    expect(wasRun()).toBe(true)
  })

  it('--allow applies only to what matches', async () => {
    await setup.prompt(script, '-p', 'Go', '--allow', 'script_touch(b*)', '--allow', 'script_other')
    expect(wasRun()).toBe(false)
    await setup.prompt(script, '-p', 'Go', '--allow', 'script_other', '--allow', 'script_touch(a*)')
    expect(wasRun()).toBe(true)
  })

  it.each([
    ['an ask rule', { approval: { rules: { ask: ['script_touch'] } } }],
    ['the default ask', { approval: 'ask' }],
  ])('--yes and --allow answer %s', async (_, config) => {
    setup.writeUser('config.json', config)
    await setup.prompt(script, '-p', 'Go')
    expect(wasRun()).toBe(false)
    const allowed = await setup.prompt(script, '-p', 'Go', '--allow', 'script_touch')
    expect(allowed.stderr).toContain('✓ script_touch')
    const yes = await setup.prompt(script, '-p', 'Go', '--yes')
    expect(yes.stderr).toContain('✓ script_touch')
  })

  it('neither --yes nor --allow overrides a deny rule', async () => {
    setup.writeUser('config.json', { approval: { rules: { deny: ['script_touch(a)'] } } })
    const ended = await setup.prompt(script, '-p', 'Go', '--yes', '--allow', 'script_touch')
    expect(ended.stderr).toContain('DENIED: script_touch was denied: the rule "script_touch(a)" denies it')
    expect(wasRun()).toBe(false)
  })

  it('if the default is deny, --yes does not help, but --allow does', async () => {
    setup.writeUser('config.json', { approval: 'deny' })
    const ended = await setup.prompt(script, '-p', 'Go', '--yes')
    expect(ended.stderr).toContain('approval.rules.allow')
    expect(wasRun()).toBe(false)
    await setup.prompt(script, '-p', 'Go', '--allow', 'script_touch')
    expect(wasRun()).toBe(true)
  })

  it.each(['', 'a b', 'tool(', '(x)', 'x)'])('an invalid rule is rejected: %j', async (rule) => {
    const { server, model } = await setup.serve([answer('ok')])
    const ended = await setup.run('-p', 'Go', `--allow=${rule}`, '--model', model)
    expect(ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(JSON.stringify(rule)),
    })
    expect(server.requests).toEqual([])
  })

  it('a rule that matches no tool is reported', async () => {
    const ended = await setup.prompt([answer('ok')], '-p', 'Go', '--allow', 'script_tuoch')
    expect(ended.stderr).toBe(
      'warning: --allow script_tuoch: no tool has this name; did you mean "script_touch"?\n',
    )
  })

  it('--mode plan runs only read-only tools, whatever is allowed', async () => {
    const ended = await setup.prompt(script, '-p', 'Go', '--mode', 'plan', '--yes', '--allow', 'script_touch')
    expect(ended.stderr).toMatch(/✗ script_touch .*DENIED/)
    expect(wasRun()).toBe(false)
  })

  it('a secret that is missing is reported, not asked for', async () => {
    setup.write('extensions/apis/weather.json', {
      name: 'weather',
      description: 'Get the weather.',
      endpoint: { url: 'http://127.0.0.1:9/weather', method: 'GET' },
      auth: { type: 'bearer', env: 'WEATHER_KEY' },
      parameters: {},
    })
    const ended = await setup.prompt([call('api_weather'), answer('No key.')], '-p', 'Go', '--yes')
    expect(ended).toMatchObject({ code: 0, stdout: 'No key.\n' })
    expect(ended.stderr).toContain('CREDENTIAL_REQUIRED')
    expect(ended.stderr).toContain('WEATHER_KEY')
  })
})

describe.runIf(hasTerminal)('with a terminal', () => {
  it.each([
    ['y', true],
    ['n', false],
  ])('the person is asked, and answers %s', async (key, runs) => {
    const { model } = await setup.serve(script)
    const ended = await runInTerminal(['-p', 'Go', '--model', model], setup.environment(), setup.project, [
      [/\[y\/N\/always\] /, async (type) => type(`${key}\r`)],
    ])
    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain('Allow script_touch')
    expect(ended.stdout).toMatch(/To continue: curfew --resume [a-z0-9]{3} -p/)
    expect(wasRun()).toBe(runs)
  })

  it.each([
    ['y', true],
    ['n', false],
  ])('a long question is shown page by page before it can be answered: %s', async (key, runs) => {
    const { model } = await setup.serve([
      call('script_touch', { text: `a${'\nb'.repeat(1_200)} end` }),
      answer('Done.'),
    ])
    let typed = 0
    const ended = await runInTerminal(['-p', 'Go', '--model', model], setup.environment(), setup.project, [
      [/\[Enter: \d+ more lines, n: no\] /, async (type) => type(`${key}\r`)],
      [/\[Enter: (\d+) [\s\S]*\[Enter: (?!\1 )\d+ more lines, n: no\] /, async (type) => type('\r')],
      [
        /b end[\s\S]*\[y\/N\/always\] /,
        async (type) => {
          typed++
          type('y\r')
        },
      ],
    ])
    expect(ended.code).toBe(0)
    expect([typed, wasRun()]).toEqual([runs ? 1 : 0, runs])
  })

  it('so is any other long question, with its choices', async () => {
    const question = `a${'\nb'.repeat(30)} end`
    const { server, model } = await setup.serve([
      call('ask_user', { question, choices: ['first', 'second'] }),
      answer('Done.'),
    ])
    const ended = await runInTerminal(['-p', 'Go', '--model', model], setup.environment(), setup.project, [
      [/\[Enter: \d+ more lines, n: no\] /, async (type) => type('\r')],
      [/b end\s+1 {2}first\s+2 {2}second[\s\S]*1-2> /, async (type) => type('2\r')],
    ])
    expect(ended.code).toBe(0)
    expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('second')
  })

  it('"always" is remembered until it is removed, also without a terminal', async () => {
    const { model } = await setup.serve(script)
    await runInTerminal(['-p', 'Go', '--model', model], setup.environment(), setup.project, [
      [/\[y\/N\/always\] /, async (type) => type('always\r')],
    ])
    expect((await setup.prompt(script, '-p', 'Go')).stderr).toContain('✓ script_touch')
    const others = [call('script_touch', { text: 'b' }), answer('Done.')]
    expect((await setup.prompt(others, '-p', 'Go')).stderr).toContain('DENIED')
    expect(await setup.run('approvals', 'remove', 'script_touch(a)')).toMatchObject({ code: 0 })
    expect((await setup.prompt(script, '-p', 'Go')).stderr).toContain('DENIED')
  })
})
