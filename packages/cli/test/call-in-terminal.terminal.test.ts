import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { runCurfew } from './run-curfew.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const environment = (): Record<string, string> => ({ HOME: home, XDG_CONFIG_HOME: '', CURFEW_TRUST: '' })

/** The final screen, without lines that were overwritten. */
async function screen(...args: string[]): Promise<string> {
  const { stdout } = await runInTerminal(['call', ...args], environment(), project, [])
  const lines = stripVTControlCharacters(stdout).split(/\r?\n/)
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n')
}

async function script(text: string): Promise<void> {
  await runCurfew(['new', 'script', 'hello'], environment(), project)
  writeFileSync(join(project, '.curfew/extensions/scripts/hello/script.js'), text)
}

const times = (text: string, part: string): number => text.split(part).length - 1

describe.runIf(hasTerminal)('on a terminal, curfew call', () => {
  it.each([
    ['text', "console.log('a greeting')", 'a greeting'],
    [
      'JSON on a line',
      'console.error(1); console.log(JSON.stringify({ greeting: "hi" })); console.error(2)',
      'greeting',
    ],
    [
      'JSON on several lines',
      'console.error(1); console.log(JSON.stringify({ greeting: ["hi"] }, null, 2))',
      'greeting',
    ],
  ])('does not repeat a result that the tool printed as %s', async (_, text, printed) => {
    await script(text)
    const shown = await screen('script_hello')
    expect(shown).toContain('✓ script_hello')
    expect(times(shown, printed)).toBe(1)
  })

  it('shows both streams of a failing script once', async () => {
    await script("console.log('one line'); console.error('another'); process.exitCode = 3")
    const shown = await screen('script_hello')
    expect(shown).toContain('TOOL_FAILED: script_hello exited with code 3')
    expect([times(shown, 'one line'), times(shown, 'another')]).toEqual([1, 1])
  })

  it('does not repeat the output of a command in its report', async () => {
    const shown = await screen('timeout', 'command_args=echo', 'command_args=one line', 'seconds=5')
    expect(times(shown, 'one line')).toBe(1)
    expect(shown).toContain('"stdout": "(shown above)"')
    expect(shown).toContain('"exit_code": 0')
  })

  it('shows the output of a retry with another key', async () => {
    await script(`
      if (process.env.KEY === 'the-right-key') console.log('a greeting')
      else {
        console.error('token expired')
        process.exitCode = 1
      }`)
    const file = join(project, '.curfew/extensions/scripts/hello/tool.json')
    const definition = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...definition, secrets: ['KEY'], readOnly: true, idempotent: true }))
    const store = { CURFEW_SECRET_STORE: 'file', CURFEW_PASSPHRASE: 'p', CURFEW_KEY_FILE: '' }
    const enter =
      (key: string) =>
      async (type: (text: string) => void): Promise<void> =>
        type(`${key}\r`)
    const { stdout } = await runInTerminal(
      ['call', 'script_hello'],
      { ...environment(), ...store },
      project,
      [
        [/KEY: /, enter('a-wrong-key')],
        [/rejected.*KEY: /s, enter('the-right-key')],
      ],
    )
    expect(stdout).toContain('✓')
    expect(times(stdout, 'token expired')).toBe(1)
    expect(times(stdout, 'a greeting')).toBe(1)
  })

  it('shows a result that was not printed', async () => {
    const shown = await screen('sleep', 'seconds=0.01')
    expect(shown).toContain('"slept_seconds": 0.01')
  })

  it('shows only the value with --value', async () => {
    await script("console.error('not this'); console.log('a greeting')")
    expect(await screen('script_hello', '--value')).toBe('a greeting\n')
  })
})
