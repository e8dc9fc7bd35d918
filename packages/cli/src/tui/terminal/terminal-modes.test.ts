import { expect, test } from 'vitest'
import { TerminalModes } from './terminal-modes.ts'

function open() {
  const written: string[] = []
  const target = {
    isTTY: true,
    columns: 80,
    destroyed: false,
    write(data: string) {
      written.push(data)
      return true
    },
  }
  const modes = new TerminalModes(target as unknown as NodeJS.WriteStream)
  const take = (): string => written.splice(0).join('')
  return { target, modes, take }
}

test('what was switched on is switched off, and nothing else', () => {
  const { modes, take } = open()
  modes.stdout.write('\u001b[?25l\u001b[31mtext\u001b[?2004h')
  modes.stdout.write('\u001b[?1004h\u001b[?1004l\u001b[>1u\u001b[?1049h\u001b[?2026h\u001b[?2026l')
  take()
  modes.reset()
  expect(take()).toBe('\u001b[<u\u001b[?2004l\u001b[?1049l\u001b[?25h\u001b[0m')
  modes.reset()
  expect(take()).toBe('\u001b[0m')
})

test('what is suspended continues as it was', () => {
  const { modes, take } = open()
  modes.stdout.write('\u001b[>5u\u001b[>1u\u001b[<u\u001b[?1049h\u001b[?25l')
  take()
  const resume = modes.suspend()
  expect(take()).toBe('\u001b[<u\u001b[?1049l\u001b[?25h')
  resume()
  expect(take()).toBe('\u001b[?25l\u001b[?1049h\u001b[>5u')
  modes.reset()
  expect(take()).toBe('\u001b[<u\u001b[?1049l\u001b[?25h\u001b[0m')
})

test('everything else of the stream is the same', () => {
  const { modes, target, take } = open()
  target.columns = 100
  expect([modes.stdout.columns, modes.stdout.isTTY, modes.stdout.write('a')]).toEqual([100, true, true])
  expect(take()).toBe('a')
})

test('a terminal that is gone is not written to, and does not throw', () => {
  const { modes, target, take } = open()
  modes.stdout.write('\u001b[?25l')
  take()
  target.destroyed = true
  modes.reset()
  expect(take()).toBe('')
  target.destroyed = false
  target.write = () => {
    throw new Error('EIO')
  }
  expect(() => modes.reset()).not.toThrow()
})
