import { describe, expect, it, vi } from 'vitest'
import { withTerminal } from '../src/ask/with-terminal.ts'
import { type LiveFrame, type LiveRows, showLiveRows } from '../src/live/show-live-rows.ts'
import { HeadlessTerminal } from './headless-terminal.ts'

function setUp(draw: (frame: LiveFrame) => readonly string[]) {
  const terminal = new HeadlessTerminal({ columns: 40, rows: 12 })
  const stream = terminal.stdout as unknown as NodeJS.WriteStream
  const load = vi.fn(async () => ({ draw }))
  const rows = showLiveRows({ stream, load })
  const shows = (expected: string): Promise<void> =>
    expect.poll(() => terminal.text(), { timeout: 30_000, interval: 20 }).toBe(expected)
  return { terminal, stream, load, rows, shows }
}

const print = (rows: LiveRows, stream: NodeJS.WriteStream, text: string): void =>
  rows.print(() => stream.write(text))

describe('live rows', () => {
  it('are drawn below what is printed, and removed at the end', async () => {
    let line = 'row 1'
    const { terminal, stream, rows, shows } = setUp(() => [line, 'row 2'])
    print(rows, stream, 'before\n')
    await shows('before\nrow 1\nrow 2')
    print(rows, stream, 'first\n')
    expect(await terminal.text()).toBe('before\nfirst\nrow 1\nrow 2')
    line = 'changed'
    await shows('before\nfirst\nchanged\nrow 2')
    rows.stop()
    expect(await terminal.text()).toBe('before\nfirst')
    print(rows, stream, 'after\n')
    expect(await terminal.text()).toBe('before\nfirst\nafter')
  })

  it('make room for a question, whose answer they do not read', async () => {
    const { terminal, stream, rows, shows } = setUp(() => ['a row'])
    await shows('a row')
    const listeners = process.stdin.listenerCount('readable') + process.stdin.listenerCount('data')
    let answer = (): void => {}
    const answered = withTerminal(async () => {
      expect(await terminal.text()).toBe('')
      stream.write('Really? ')
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      stream.write('yes\n')
    })
    await shows('Really?')
    // Longer than a frame.
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(await terminal.text()).toBe('Really?')
    expect(process.stdin.listenerCount('readable') + process.stdin.listenerCount('data')).toBe(listeners)
    answer()
    await answered
    await shows('Really? yes\na row')
    rows.stop()
  })

  it('are hidden while the process is stopped', async () => {
    const { terminal, rows, shows } = setUp(() => ['a row'])
    await shows('a row')
    const redraw = rows.suspend()
    expect(await terminal.text()).toBe('')
    redraw()
    await shows('a row')
    rows.stop()
    redraw()
    expect(await terminal.text()).toBe('')
  })

  it('load nothing for what is over at once, and leave no listener behind', async () => {
    const signals = process.listenerCount('SIGINT')
    const { load, rows } = setUp(() => ['a row'])
    rows.stop()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(load).not.toHaveBeenCalled()
    const other = setUp(() => ['a row'])
    await other.shows('a row')
    other.rows.stop()
    expect(process.listenerCount('SIGINT')).toBe(signals)
  })

  it('a command continues without rows if they cannot be drawn', async () => {
    const terminal = new HeadlessTerminal()
    const stream = terminal.stdout as unknown as NodeJS.WriteStream
    const load = vi.fn(() => Promise.reject(new Error('no rows')))
    const rows = showLiveRows({ stream, load })
    await expect.poll(() => load.mock.calls.length, { timeout: 30_000 }).toBe(1)
    print(rows, stream, 'printed\n')
    rows.stop()
    expect(await terminal.text()).toBe('printed')
  })
})
