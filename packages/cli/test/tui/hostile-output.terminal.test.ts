import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import { answer, call } from '../prompt-support.ts'
import { hasTmux, type TmuxTerminal } from '../tmux-terminal.ts'
import { asked, TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()

const clipboard = Buffer.from('rm -rf ~').toString('base64')
/** What could take over a terminal, with a word before and after it. */
const sequences = {
  title: '\u001b]0;owned\u0007',
  clipboard: `\u001b]52;c;${clipboard}\u0007`,
  clear: '\u001b[2J\u001b[3J\u001b[H',
  alternate: '\u001b[?1049h',
  mouse: '\u001b[?1000h\u001b[?1003h\u001b[?1006h',
  hidden: '\u001b[?25l\u001b[8m',
  scrolling: '\u001b[3;5r\u001b[?6h',
  reset: '\u001bc',
  answer: '\u001b[c\u001b[6n\u001b]11;?\u0007',
  eightBit: '\u009b2J\u009d0;owned\u009c',
  bidi: '\u202eevil\u202c \u2066x\u2069',
  erased: 'good\rbad \u0008\u0008\u0008',
}
const hostile = Object.entries(sequences)
  .map(([name, sequence]) => `<${name}>${sequence}</${name}>`)
  .join('\n')

interface Modes {
  readonly [name: string]: string
}

function modesOf(terminal: TmuxTerminal): Modes {
  const names = [
    'pane_title',
    'alternate_on',
    'mouse_any_flag',
    'origin_flag',
    'scroll_region_upper',
    'scroll_region_lower',
    'cursor_flag',
    'insert_flag',
    'wrap_flag',
  ]
  return Object.fromEntries(names.map((name) => [name, terminal.get(name)]))
}

/** Nothing has changed the terminal, and nothing that could is on its screen. */
function expectUnharmed(terminal: TmuxTerminal, before: Modes): void {
  expect(modesOf(terminal)).toEqual(before)
  expect(terminal.clipboard()).toBe('')
  const all = terminal.scrollback()
  expect(all).toContain('Curfew')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them
  expect(all).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  // Answers of the terminal to what it was asked would be typed into the input.
  expect(terminal.screen()).toMatch(/^>( Ask something|$)/m)
}

function writeHostile(): void {
  const invalid = Buffer.from([0xff, 0xfe, 0xc0, 0x0a])
  writeFileSync(join(setup.project, 'hostile.txt'), Buffer.concat([Buffer.from(hostile), invalid]))
}

const size = { columns: 90, rows: 40 }

describe.runIf(hasTmux)('control sequences do nothing to the terminal', () => {
  it('although it obeys them', async () => {
    writeHostile()
    const terminal = setup.open(size)
    await terminal.shows(/^\$ *$/m)
    const before = modesOf(terminal)
    terminal.enter('cat hostile.txt; sleep 600')
    await until(() => terminal.clipboard() !== '')
    const after = modesOf(terminal)
    // A reset at the end of them undoes the others.
    expect(after.pane_title).not.toBe(before.pane_title)
  })

  it('in the output of a running command, and in the list of calls', async () => {
    writeHostile()
    const command = 'cat hostile.txt >&2; cat hostile.txt; sleep 600'
    const { terminal } = await setup.launch([call('run_command', { command })], {
      ...size,
      args: '--allow run_command',
    })
    const before = modesOf(terminal)
    terminal.enter('Show me')
    await terminal.shows(/<bidi>/)
    expectUnharmed(terminal, before)
    terminal.press('C-o')
    await terminal.shows(/<title>[\s\S]*<clipboard>[\s\S]*<bidi>/)
    expect(modesOf(terminal)).toEqual({ ...before, alternate_on: '1', cursor_flag: '0' })
    terminal.press('q')
    await terminal.shows(/Esc cancels/)
    terminal.press('Escape')
    await terminal.shows(/Cancelled/)
    expectUnharmed(terminal, before)
  })

  it.each([
    ['in what the model writes', () => answer(hostile), /<bidi>/],
    [
      'in the name and arguments of a call',
      () => call(`read${sequences.title}file`, { path: hostile }),
      /✗ read.*file .*<title>/,
    ],
    ['in a file that is read', () => call('read_file', { path: 'hostile.txt' }), /✓ read_file/],
  ])('%s', async (_, reply, expected) => {
    writeHostile()
    const { terminal } = await setup.launch([reply(), answer('That was all.')], size)
    const before = modesOf(terminal)
    terminal.enter('Show me')
    await terminal.shows(expected)
    await terminal.shows(/> Ask something/)
    expectUnharmed(terminal, before)
  })

  it('in a question about a call', async () => {
    const command = `echo '${hostile}'`
    const { terminal } = await setup.launch([call('run_command', { command })], size)
    const before = modesOf(terminal)
    terminal.enter('Show me')
    const question = await asked(terminal, /Allow run_command/)
    await setup.expectScreen(question, 'hostile-question')
    expect(modesOf(terminal)).toEqual({ ...before, cursor_flag: '0' })
    terminal.press('Escape')
    await terminal.shows(/Cancelled[\s\S]*> Ask something/)
    expectUnharmed(terminal, before)
  })
})
