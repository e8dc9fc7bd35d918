import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'
import { hasTerminalShell, TerminalShell } from './terminal-shell.ts'

const setup = new PromptSetup()
const wasRun = (): boolean => existsSync(join(setup.project, 'touched'))

beforeEach(() => {
  setup.script('touch', `touch '${setup.project}/touched'; sleep 1`)
  setup.script('hang', 'sleep 600')
})

/** Waits for the prompt. */
const prompt = /\n> $/
const type =
  (text: string) =>
  async (write: (text: string) => void): Promise<void> =>
    write(text)

/** What a program that draws would write: colours, and movements of the cursor. */
function expectPlain(stdout: string): void {
  expect(stdout).not.toContain('\u001b')
  expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(/\r/)
  expect(stdout).not.toMatch(/[\u2500-\u259f\u2800-\u28ff✓✗›·]/)
}

describe.runIf(hasTerminal)('with --screen-reader', () => {
  it('everything is a line of words: calls, questions, answers', async () => {
    const { model, server } = await setup.serve([
      call('script_touch', { text: 'a' }),
      answer('# Done\n\n- **one**\n- two\n'),
    ])
    const { stdout, code } = await runInTerminal(
      ['--screen-reader', '--model', model],
      setup.environment(),
      setup.project,
      [
        [prompt, type('Go\n')],
        [/Type y, t, a, n or s and press Enter/, type('q\n')],
        [/"q" is not one of the answers/, type('y\n')],
        [/- two[^>]*\n> $/, type('/quit\n')],
      ],
    )
    expect([code, wasRun(), server.requests.length]).toEqual([0, true, 2])
    expectPlain(stdout)
    const lines = stdout.replaceAll('\r\n', '\n')
    expect(lines).toMatch(/^y: Yes, once$/m)
    expect(lines).toMatch(/^a: Yes, always: script_touch\(a\)$/m)
    expect(lines).toMatch(/^script_touch started: a, limit 5 minutes$/m)
    expect(lines).toMatch(/^script_touch finished after \d seconds?$/m)
    expect(lines).toMatch(/^# Done\n\n- \*\*one\*\*\n- two$/m)
    expect(lines).toMatch(/^To continue this conversation: curfew --resume \w+$/m)
    // The terminal has echoed it.
    expect(lines).not.toContain('You: Go')
  })

  it('a rule is shown before it is added, and a reason is passed on', async () => {
    const { model, server } = await setup.serve([
      call('script_touch', { text: 'a' }),
      call('script_touch', { text: 'b' }),
      answer('Fine.'),
    ])
    const { stdout } = await runInTerminal(
      ['--screen-reader', '--model', model],
      setup.environment(),
      setup.project,
      [
        [prompt, type('Go\n')],
        [/press Enter\.\s*$/, type('a\n')],
        [/Rule: script_touch\(a\)/, type('script_touch(z)\n')],
        [/does not match the call/, type('back\n')],
        [/does not match.*press Enter\.\s*$/s, type('n\n')],
        [/Type a reason/, type('not today\n')],
        [/Type a reason.*press Enter\.\s*$/s, type('s\n')],
        [/Cancelled.*\n> $/s, type('/quit\n')],
      ],
    )
    expect(wasRun()).toBe(false)
    expectPlain(stdout)
    expect(JSON.stringify(server.requests[1]!.body)).toContain('not today')
  })

  it('a secret is not shown', async () => {
    const { model } = await setup.serve([answer('Fine.')])
    const { stdout } = await runInTerminal(
      ['--screen-reader', '--model', model],
      setup.environment(),
      setup.project,
      [
        [prompt, type('/secret MY_TOKEN\n')],
        [/MY_TOKEN: $/, type('hunter2-hunter2\r')],
        [/is stored.*\n> $/s, type('/quit\n')],
      ],
    )
    expect(stdout).not.toContain('hunter2')
  })

  it('Ctrl-C cancels the turn, and twice it quits', async () => {
    const { model } = await setup.serve([call('script_hang'), answer('Fine.')])
    const { stdout, code } = await runInTerminal(
      ['--screen-reader', '--model', model, '--allow', 'script_hang'],
      setup.environment(),
      setup.project,
      [
        [prompt, type('Go\n')],
        [/script_hang started/, type('\u0003')],
        [/script_hang was cancelled after .*\n> $/s, type('\u0003\u0003')],
      ],
    )
    expect(stdout).toContain('Press Ctrl-C again to quit')
    expect(code).toBe(130)
  })

  it('choices are numbered, and several pasted lines are one prompt', async () => {
    const { model, server } = await setup.serve([answer('Fine.')])
    const { stdout } = await runInTerminal(
      ['--screen-reader', '--model', model],
      setup.environment(),
      setup.project,
      [
        [prompt, type('/resume\n')],
        [/no earlier.*\n> $/s, type('one\ntwo\nthree\n')],
        [/Fine\..*\n> $/s, type('/resume\n')],
        [/Type a number to choose/, type('/quit\n')],
      ],
    )
    expect(stdout).toMatch(/^1: \/resume /m)
    expect(JSON.stringify(server.requests[0]!.body)).toContain('one\\ntwo\\nthree')
  })
})

describe.runIf(hasTerminal)('lines are also used', () => {
  it.each([
    ['with TERM=dumb', { TERM: 'dumb' }, {}],
    ['with INK_SCREEN_READER', { INK_SCREEN_READER: 'true' }, {}],
    ['with a variable', { CURFEW_UI_SCREEN_READER: 'true' }, {}],
    ['with a setting', {}, { ui: { screenReader: true } }],
  ])('%s', async (_, env, config) => {
    setup.writeUser('config.json', config)
    const { stdout, code } = await runInTerminal(
      [],
      { ...setup.environment(), ...(env as Record<string, string>) },
      setup.project,
      [[prompt, type('/quit\n')]],
    )
    expectPlain(stdout)
    expect(code).toBe(0)
  })
})

describe.runIf(hasTerminalShell())('without a terminal on standard output', () => {
  it('curfew | tee log writes the whole conversation as lines', async () => {
    const { model } = await setup.serve([call('script_touch', { text: 'a' }), answer('Done.')])
    const shell = await TerminalShell.open(setup.project, setup.environment())
    try {
      shell.type(`curfew --model ${model} --allow script_touch | tee log`)
      await shell.shows(/> $/)
      shell.send('Go\n')
      await shell.shows(/Done\..*> $/s)
      shell.send('\u0004')
      await shell.isIdle()
    } finally {
      await shell.close()
    }
    const log = readFileSync(join(setup.project, 'log'), 'utf8')
    expectPlain(log)
    expect(log).toMatch(
      /^You: Go\n\nscript_touch started: a, limit 5 minutes\nscript_touch finished after \d seconds?\n\nDone\.\n$/m,
    )
  })
})

it('without a terminal on standard input, a prompt is required', async () => {
  const ended = await setup.run('--screen-reader')
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/expected -p PROMPT or a command.*Example: curfew -p/s)
})
