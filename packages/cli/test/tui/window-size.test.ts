import { describe, expect, it } from 'vitest'
import { answer, call } from '../prompt-support.ts'
import { hasTmux, type TmuxTerminal } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const words = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ')

/** Each word of the conversation is there once, and the live region once, on the last lines. */
function expectIntact(terminal: TmuxTerminal, count: number): void {
  const all = terminal.scrollback()
  const found = all.match(/\b(question|answer)\d+/g)!
  expect(found, all).toEqual([...words('question', count).split(' '), ...words('answer', count).split(' ')])
  expect(all.match(/ask before changes/g), all).toHaveLength(1)
}

describe.runIf(hasTmux)('a window', () => {
  it('that becomes narrow and wide again shows everything once', async () => {
    const { terminal } = await setup.start([answer(words('answer', 60))], { columns: 100, rows: 30 })
    terminal.pipe('/tmp/e2e-pipe.txt')
    terminal.enter(words('question', 60))
    await terminal.shows(/answer59/)
    await terminal.hides(/esc cancels/)
    expectIntact(terminal, 60)
    const sizes = [[70, 30], [40, 30], [40, 16], [60, 20], [100, 30]] as const
    for (const [index, [columns, rows]] of sizes.entries()) {
      terminal.resize(columns, rows)
      terminal.type('x')
      // A new key is shown in a new frame.
      await terminal.shows(new RegExp(`\\n> x{${index + 1}}\\nask before changes.*$`))
      expectIntact(terminal, 60)
    }
  })
})
