import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolders } from './temporary-folders.ts'
import { eventually, hasTerminalShell, processesWith, TerminalShell } from './terminal-shell.ts'

const app = fileURLToPath(new URL('./fixtures/small-terminal-app.ts', import.meta.url))
let count = 0

/** Everything that may be on: paste mode, the alternate screen, a hidden cursor, the kitty keyboard. */
function expectNothingLeft(shown: string): void {
  for (const [on, off] of [
    ['[?2004h', '[?2004l'],
    ['[?1049h', '[?1049l'],
    ['[?25l', '[?25h'],
    ['[>1u', '[<u'],
    ['[?2026h', '[?2026l'],
  ] as const)
    expect(shown.lastIndexOf(off), off).toBeGreaterThanOrEqual(shown.lastIndexOf(on))
}

describe.runIf(hasTerminalShell())('an app on a terminal', { timeout: 120_000 }, () => {
  let folder: string
  let shell: TerminalShell
  let tag: string
  temporaryFolders((folders) => {
    folder = folders.project
  })

  beforeEach(async () => {
    tag = `restore-${process.pid}-${++count}`
    shell = await TerminalShell.open(folder, {})
  }, 60_000)

  afterEach(async () => {
    await shell.close()
    await eventually('no process is left', () => processesWith(tag).size === 0)
  }, 60_000)

  const state = (): string => [...processesWith(tag).values()].join()
  const send = (signal: NodeJS.Signals): void => {
    for (const pid of processesWith(tag).keys()) process.kill(pid, signal)
  }
  /** Starts the app, and types something. */
  async function start(variables = ''): Promise<void> {
    shell.type(`${variables} $node ${app} ${tag}`)
    await shell.shows(/typed \[\]/)
    shell.send('a')
    await shell.shows(/typed \[a\]/)
  }
  /** Whether the terminal reads lines, as a shell expects. */
  async function isCooked(): Promise<boolean> {
    shell.type('stty -a')
    return /[^-]icanon/.test(await shell.isIdle())
  }

  test.each([
    ['ends', 'END=quit KITTY=1', 0, /the end/],
    ['calls process.exit', 'END=exit', 3, /typed/],
    ['throws an error that nobody catches', 'END=throw', 1, /Error: not caught/],
    ['calls process.exit on the alternate screen', 'END=alternate', 0, /1049l/],
  ])('that %s leaves the terminal as it was', async (_, variables, code, expected) => {
    await start(variables)
    shell.send('!')
    const shown = await shell.isIdle()
    expect(shown).toMatch(expected)
    expectNothingLeft(shown)
    expect(await shell.exitCode()).toBe(code)
    expect(await isCooked()).toBe(true)
  })

  test('that gets SIGTERM leaves the terminal as it was', async () => {
    await start('KITTY=1')
    send('SIGTERM')
    expectNothingLeft(await shell.isIdle())
    expect(await shell.exitCode()).toBe(143)
    expect(await isCooked()).toBe(true)
  })

  test('stops with Ctrl-Z like any job, and continues with fg', async () => {
    await start('KITTY=1')
    shell.press('Ctrl-Z')
    expectNothingLeft(await shell.isIdle())
    expect(state()).toBe('T')
    expect(await isCooked()).toBe(true)
    shell.type('fg')
    await shell.shows(/\[>1u.*typed \[a\]/s)
    shell.send('b')
    await shell.shows(/typed \[ab\]/)
    shell.press('Ctrl-Z')
    await shell.isIdle()
    expect(state()).toBe('T')
    shell.type('fg')
    await shell.shows(/typed \[ab\]/)
    shell.send('!')
    expectNothingLeft(await shell.shows(/the end/))
  })

  test.each(['SIGTSTP', 'SIGSTOP'] as const)(
    'stops with %s, and draws again when it continues',
    async (signal) => {
      await start()
      send(signal)
      await eventually('it is stopped', () => state() === 'T', state)
      await shell.isIdle()
      // As a shell may do.
      shell.type('stty sane; stty -echo')
      await shell.isIdle()
      shell.type('fg')
      await shell.shows(/typed \[a\]/)
      shell.send('b')
      await shell.shows(/typed \[ab\]/)
      shell.send('!')
      await shell.shows(/the end/)
      await shell.isIdle()
      expect(await isCooked()).toBe(true)
    },
  )

  test('ends when the terminal is closed', async () => {
    await start()
    await shell.close()
    await eventually('it has ended', () => processesWith(tag).size === 0)
  })

  test('ends when the terminal is closed, even if it ignores SIGHUP', async () => {
    await start(`trap '' HUP;`)
    await shell.close()
    await eventually('it has ended', () => processesWith(tag).size === 0)
  })
})
