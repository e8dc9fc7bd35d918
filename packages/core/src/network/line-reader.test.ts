import { expect, test } from 'vitest'
import { reachableBytes } from '../../../../test/support/collect-garbage.ts'
import { LineReader, type SkippedLine } from './line-reader.ts'

function read(maxBytes: number, ...chunks: readonly string[]): { lines: string[]; skipped: SkippedLine[] } {
  const lines: string[] = []
  const skipped: SkippedLine[] = []
  const reader = new LineReader(maxBytes, {
    onLine: (line) => lines.push(line),
    onSkipped: (line) => skipped.push(line),
    onEndless: () => {},
  })
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  return { lines, skipped }
}

test('lines are complete for all chunk boundaries', () => {
  expect(read(100, 'a\nb', 'c\n', '\n', 'd', 'e', 'f\ng').lines).toEqual(['a', 'bc', '', 'def'])
})

test('a character that is split between chunks is decoded', () => {
  const bytes = Buffer.from('größe\n')
  const lines: string[] = []
  const reader = new LineReader(100, {
    onLine: (line) => lines.push(line),
    onSkipped: () => {},
    onEndless: () => {},
  })
  for (const byte of bytes) reader.push(Buffer.from([byte]))
  expect(lines).toEqual(['größe'])
})

test('the chunk is copied, so that it can be reused', () => {
  const lines: string[] = []
  const reader = new LineReader(100, {
    onLine: (line) => lines.push(line),
    onSkipped: () => {},
    onEndless: () => {},
  })
  const chunk = Buffer.from('abc')
  reader.push(chunk)
  chunk.fill('x')
  reader.push(Buffer.from('\n'))
  expect(lines).toEqual(['abc'])
})

test('a line that is too long is reported with its length and ends, and the next one is read', () => {
  const long = `{"begin":"${'x'.repeat(5_000)}","id":7}`
  for (const cut of [1, 700, long.length]) {
    const chunks = Array.from({ length: Math.ceil(long.length / cut) }, (_, i) =>
      long.slice(i * cut, (i + 1) * cut),
    )
    const { lines, skipped } = read(1_000, ...chunks, '\nnext\n')
    expect(lines).toEqual(['next'])
    expect(skipped).toHaveLength(1)
    expect(skipped[0]!.bytes).toBe(long.length)
    expect(skipped[0]!.head.startsWith('{"begin":"xxx')).toBe(true)
    expect(skipped[0]!.tail.endsWith('","id":7}')).toBe(true)
  }
})

test('the end of a line that is barely too long is kept', () => {
  const long = `{"a":"${'x'.repeat(980)}","id":12345}`
  const { skipped } = read(long.length - 1, long.slice(0, -2), long.slice(-2), '\n')
  expect(skipped.map(({ tail }) => tail.slice(-12))).toEqual([',"id":12345}'])
})

test('a line that arrives byte by byte does not need more memory', () => {
  const reader = new LineReader(1 << 20, { onLine: () => {}, onSkipped: () => {} })
  const byte = Buffer.from('x')
  const before = reachableBytes()
  for (let i = 0; i < 1 << 20; i++) reader.push(byte)
  expect(reachableBytes() - before).toBeLessThan(16 << 20)
})

test('an endless line is not kept', () => {
  const reader = new LineReader(1_000, { onLine: () => {}, onSkipped: () => {}, onEndless: () => {} })
  const chunk = Buffer.alloc(65_536, 'x')
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 2_000; i++) reader.push(chunk)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20)
})
