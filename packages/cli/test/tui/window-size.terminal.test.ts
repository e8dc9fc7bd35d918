import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { answer, call } from '../prompt-support.ts'
import { hasTmux, type TmuxTerminal } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const words = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`)

/** Each word of the conversation is there once and in order, and so is the live region. */
function expectIntact(terminal: TmuxTerminal, expected: readonly string[]): void {
  const all = terminal.scrollback()
  expect(all.match(/\b(question|answer)\d+/g), all).toEqual(expected)
  expect(all.match(/ask before changes/g), all).toHaveLength(1)
  expect(all.match(/^> Ask something|^> x*$/gm), all).toHaveLength(1)
}

const sizes = [
  [70, 30],
  [40, 30],
  [40, 16],
  [60, 20],
  [100, 30],
] as const

describe.runIf(hasTmux)('a window that becomes narrow, low, and large again', () => {
  it('shows the conversation and the input once', async () => {
    const { terminal } = await setup.launch([answer(words('answer', 60).join(' '))], {
      columns: 100,
      rows: 30,
    })
    terminal.enter(words('question', 60).join(' '))
    await terminal.shows(/answer59/)
    await terminal.hides(/Esc cancels/)
    const expected = [...words('question', 60), ...words('answer', 60)]
    expectIntact(terminal, expected)
    for (const [index, [columns, rows]] of sizes.entries()) {
      await terminal.resize(columns, rows)
      terminal.type('x')
      await terminal.shows(new RegExp(`\\n> x{${index + 1}}\\nask before changes.*$`))
      expectIntact(terminal, expected)
    }
  })

  it('shows each running call once', async () => {
    const colors = ['red', 'green', 'blue']
    for (const color of colors) setup.script(color, `echo "${`${color} `.repeat(15)}" >&2; sleep 600`)
    const calls = colors.flatMap((color) => call(`script_${color}`))
    const { terminal } = await setup.launch([[{ text: words('answer', 60).join(' ') }, ...calls]], {
      columns: 100,
      rows: 30,
      config: { tools: { 'script_*': { readOnly: true, concurrent: true } } },
    })
    terminal.enter(words('question', 60).join(' '))
    await terminal.shows(/^ +red red[\s\S]*^ +green green[\s\S]*^ +blue blue/m)
    const expected = [...words('question', 60), ...words('answer', 60)]
    for (const [index, [columns, rows]] of sizes.entries()) {
      await terminal.resize(columns, rows)
      terminal.type('x')
      await terminal.shows(new RegExp(`\\n> x{${index + 1}}\\nask before changes.*$`))
      expectIntact(terminal, expected)
      const all = terminal.scrollback()
      expect(all.match(/^. script_(red|green|blue)\b.* of 5 min/gm), all).toHaveLength(3)
      if (columns === 40 && rows === 30) await setup.expectScreen(terminal.screen(), 'narrow-window')
    }
    expect(terminal.screen().match(/^ +red red/gm)).toHaveLength(1)
  })
})

describe.runIf(hasTmux)('a low window', () => {
  it.each([10, 14, 24])(
    'of %i rows keeps no copies of questions and lists in the scrollback',
    async (rows) => {
      const calls = ['one', 'two', 'three'].flatMap((name) =>
        call('write_file', { path: `${name}.txt`, content: `${name}\n`.repeat(50) }),
      )
      const { terminal } = await setup.launch([[{ text: words('answer', 20).join(' ') }, ...calls]], {
        columns: 60,
        rows,
      })
      terminal.enter('question0')
      await terminal.shows(/Approval 1 of 3/)
      // Before that, keys do not answer.
      await sleep(1_000)
      terminal.press('Escape')
      await terminal.shows(/Cancelled/)
      terminal.press('C-o')
      await terminal.shows(/^Calls/m)
      terminal.press('q')
      await terminal.shows(/Ask something/)
      expectIntact(terminal, ['question0', ...words('answer', 20)])
      expect(terminal.scrollback()).not.toMatch(/Approval|^Calls/m)
    },
  )
})
