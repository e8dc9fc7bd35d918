import { PassThrough } from 'node:stream'
import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { KeyStream } from './key-stream.ts'

class FakeTerminal extends PassThrough {
  readonly isTTY = true
  readonly calls: string[] = []

  setRawMode(isRaw: boolean): this {
    this.calls.push(`raw ${isRaw}`)
    return this
  }

  ref(): this {
    this.calls.push('ref')
    return this
  }

  unref(): this {
    this.calls.push('unref')
    return this
  }
}

function setUp() {
  const terminal = new FakeTerminal()
  const clock = createFakeClock()
  const stream = new KeyStream(terminal as unknown as NodeJS.ReadStream, clock)
  const read = (): string[] => {
    const events: string[] = []
    for (let event: string | null = stream.read(); event !== null; event = stream.read()) events.push(event)
    return events
  }
  /** Until the data has passed through the terminal's stream. */
  const write = async (...chunks: (string | Buffer)[]): Promise<void> => {
    for (const chunk of chunks) {
      terminal.write(chunk)
      await new Promise(setImmediate)
    }
  }
  return { terminal, clock, stream, read, write }
}

test('each chunk is one key', async () => {
  const { stream, read, write } = setUp()
  stream.setRawMode(true)
  await write('hello\r\x1b[A')
  expect(read()).toEqual(['hello', '\r', '\x1b[A'])
})

test('characters may be split between reads, and invalid bytes are replaced', async () => {
  const { stream, read, write } = setUp()
  stream.setRawMode(true)
  await write(Buffer.from([0xf0, 0x9f]), Buffer.from([0x98, 0x80]), Buffer.from([0x61, 0xff, 0x62]))
  expect(read()).toEqual(['😀', 'a\ufffdb'])
})

test('Escape is reported when nothing follows', async () => {
  const { stream, read, write, clock } = setUp()
  stream.setRawMode(true)
  await write('\x1b')
  expect(read()).toEqual([])
  await clock.advance(50)
  expect(read()).toEqual(['\x1b[27u'])
  await write('\x1b')
  await clock.advance(40)
  await write('[')
  await clock.advance(150)
  await write('A')
  expect(read()).toEqual(['\x1b[A'])
})

test('it reads only in raw mode, so that a child process can have the terminal', async () => {
  const { terminal, stream, read, write } = setUp()
  stream.setRawMode(true)
  stream.setRawMode(false)
  expect(terminal.isPaused()).toBe(true)
  await write('for the child')
  expect(read()).toEqual([])
  stream.ref().unref()
  expect(terminal.calls).toEqual(['raw true', 'raw false', 'ref', 'unref'])
})

test('a terminal that is closed ends the stream', async () => {
  const { terminal, stream } = setUp()
  stream.setRawMode(true)
  const ended = new Promise((resolve) => stream.once('end', resolve))
  stream.resume()
  terminal.destroy(new Error('EIO'))
  await ended
})
