import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasTerminal, runOnTerminal } from './run-in-terminal.ts'
import { temporaryFolders } from './temporary-folders.ts'
import { hasTmux, TmuxTerminal } from './tmux-terminal.ts'

const app = fileURLToPath(new URL('./fixtures/small-terminal-app.ts', import.meta.url))

describe.runIf(hasTerminal)('on a bare terminal, which does not answer', () => {
  test('the first frame does not wait, and keys that are typed meanwhile arrive', async () => {
    const { stdout } = await runOnTerminal([app], {}, process.cwd(), [
      [/typed \[\]/, async (type) => type('k')],
      [/typed \[k\]/, async (type) => type('\u001b')],
      [/typed \[k<ESC>\]/, async (type) => type('!')],
    ])
    expect(stdout.indexOf('background asking')).toBeLessThan(stdout.indexOf('\u001b]11;?'))
  })

  test('an answer between keys is not typed', async () => {
    const { stdout } = await runOnTerminal([app], {}, process.cwd(), [
      // One write, as a terminal does that answers while someone types.
      [/11;\?/, async (type) => type('a\u001b]11;rgb:ffff/ffff/ffff\u0007\u001b[?62;4cb')],
      [/background light.*typed \[ab\]|typed \[ab\].*background light/s, async (type) => type('!')],
    ])
    expect(stdout).not.toMatch(/typed \[[^\]]*(rgb|62)/)
  })
})

describe.runIf(hasTmux)('in tmux', () => {
  let folder: string
  let terminal: TmuxTerminal
  temporaryFolders((folders) => {
    folder = folders.project
  })
  beforeEach(() => {
    terminal = new TmuxTerminal(folder)
  })
  afterEach(() => terminal.close())

  const start = (): void => {
    terminal.type(`clear; '${process.execPath}' '${app}'`)
    terminal.press('Enter')
  }

  test.each([
    ['unknown', undefined, 'null'],
    ['white', '#ffffff', 'light'],
    ['almost black', '#1e1e1e', 'dark'],
  ])('a background that is %s is found at once', async (_, color, expected) => {
    if (color !== undefined) terminal.setBackground(color)
    start()
    await terminal.shows(new RegExp(`background ${expected}`))
    terminal.type('hello')
    expect(await terminal.shows(/typed \[hello\]/)).not.toMatch(/rgb|\?1;2c/)
  })

  test('Ctrl-Z returns to the shell, and fg to the app', async () => {
    start()
    await terminal.shows(/typed \[\]/)
    terminal.type('x')
    await terminal.shows(/typed \[x\]/)
    expect(terminal.get('cursor_flag')).toBe('0')
    terminal.press('C-z')
    await terminal.shows(/Stopped/)
    expect([terminal.screen().includes('typed [x]'), terminal.get('cursor_flag')]).toEqual([false, '1'])
    terminal.type('fg')
    terminal.press('Enter')
    await terminal.shows(/typed \[x\]/)
    terminal.type('y')
    await terminal.shows(/typed \[xy\]/)
    terminal.type('!')
    await terminal.shows(/the end/)
  })
})
