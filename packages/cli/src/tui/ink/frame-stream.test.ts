import { expect, test } from 'vitest'
import { frameStream } from './frame-stream.ts'

const begin = '\x1b[?2026h'
const end = '\x1b[?2026l'

function streamOf(): { stream: NodeJS.WriteStream; written: string[] } {
  const written: string[] = []
  const stdout = {
    columns: 80,
    isTTY: true,
    getColorDepth(): number {
      return this.columns
    },
    write(data: string, done?: () => void): boolean {
      written.push(data)
      done?.()
      return true
    },
  }
  return { stream: frameStream(stdout as unknown as NodeJS.WriteStream), written }
}

test('a frame is one write', () => {
  const { stream, written } = streamOf()
  for (const data of [begin, 'a', 'b', end, begin, 'c', end]) stream.write(data)
  expect(written).toEqual([`${begin}ab${end}`, `${begin}c${end}`])
})

test('moves over unchanged rows are one sequence, however many rows there are', () => {
  const { stream, written } = streamOf()
  const moves = (count: number): string => '\x1b[E'.repeat(count)
  for (const data of [begin, `\x1b[40A${moves(20)}changed\n${moves(1)}x${moves(19)}`, end]) stream.write(data)
  expect(written).toEqual([`${begin}\x1b[40A\x1b[20Echanged\n\x1b[Ex\x1b[19E${end}`])
})

test('moves to the last row and up again are one move', () => {
  const { stream, written } = streamOf()
  stream.write('\x1b[2B\x1b[1G\x1b[12Achanged\n\x1b[E\x1b[E\x1b[2A\x1b[3G')
  stream.write('\x1b[B\x1b[1G\x1b[Ax\n\x1b[E\x1b[4Ay')
  expect(written).toEqual(['\x1b[10Fchanged\n\x1b[G\x1b[3G', '\x1b[Gx\n\x1b[3Fy'])
})

test('a frame without changes writes nothing', () => {
  const { stream, written } = streamOf()
  for (const data of [begin, end]) stream.write(data)
  expect(written).toEqual([])
})

test('writes outside of frames pass in order, with their callbacks', () => {
  const { stream, written } = streamOf()
  let called = 0
  stream.write('\x1b[?25l')
  stream.write(begin)
  stream.write('half')
  stream.write('', () => called++)
  stream.write('after', 'utf8', () => called++)
  expect(written).toEqual(['\x1b[?25l', `${begin}half`, '', 'after'])
  expect(called).toBe(2)
})

test('a frame that was not finished is written before the next task', async () => {
  const { stream, written } = streamOf()
  stream.write(begin)
  stream.write('half')
  await Promise.resolve()
  stream.write('later')
  expect(written).toEqual([`${begin}half`, 'later'])
})

test('everything else is the real stream', () => {
  const { stream } = streamOf()
  expect(stream.columns).toBe(80)
  expect('isTTY' in stream).toBe(true)
  expect(stream.getColorDepth()).toBe(80)
})
