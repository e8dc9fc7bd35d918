import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ChannelReader,
  ChannelWriter,
  createThreadChannel,
  type MessageKind,
  maxMessageBytes,
  type ThreadChannel,
} from './thread-channel.ts'

function open(): { channel: ThreadChannel; writer: ChannelWriter; reader: ChannelReader } {
  const channel = createThreadChannel()
  return { channel, writer: new ChannelWriter(channel), reader: new ChannelReader(channel) }
}

/** The payload of a full frame. */
const frameSize = (1 << 17) - 5

const kind = fc.constantFrom<MessageKind>('stdout', 'stderr', 'log', 'message', 'text', 'bytes')
const frames = fc.array(fc.tuple(kind, fc.uint8Array({ maxLength: 40_000 })), { maxLength: 10 })

test('reads every message completely and in order, at any counter position', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(frames, { maxLength: 5 }), (start, rounds) => {
      const { channel, writer, reader } = open()
      channel.counters.fill(start, 0, 2)
      for (const messages of rounds) {
        for (const [kind, bytes] of messages) writer.write(kind, bytes)
        for (const [kind, bytes] of messages) {
          const received = reader.next()
          expect(received?.kind).toBe(kind)
          expect(Buffer.compare(received!.bytes, bytes)).toBe(0)
        }
        expect(reader.next()).toBe(null)
      }
    }),
    { numRuns: 50 },
  )
})

test('reads a message of several frames', () => {
  const { writer, reader } = open()
  const bytes = Buffer.alloc(500_000, 'curfew')
  writer.write('bytes', bytes)
  writer.write('log', Buffer.from('next'))
  expect(reader.next()?.bytes.equals(bytes)).toBe(true)
  expect(reader.next()?.bytes.toString()).toBe('next')
})

test('splits output that is longer than a frame, without loss', () => {
  const { writer, reader } = open()
  writer.writeOutput('stderr', Buffer.alloc(300_000, 'ab'))
  let length = 0
  for (let part = reader.next(); part !== null; part = reader.next()) length += part.bytes.length
  expect(length).toBe(300_000)
})

test('rejects a message that is too long before writing anything', () => {
  const { writer, reader } = open()
  expect(() => writer.write('message', new Uint8Array(maxMessageBytes + 1))).toThrow(RangeError)
  expect(reader.next()).toBe(null)
})

test('the reader terminates with any content of the shared memory', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer(),
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      (written, read, bytes) => {
        const { channel, reader } = open()
        channel.counters[0] = written
        channel.counters[1] = read
        for (let at = 0; at < channel.ring.length; at += bytes.length) channel.ring.set(bytes, at)
        try {
          for (let count = 0; count < 1_000 && reader.next() !== null; count++);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      },
    ),
  )
})

/** Writes a frame without the flag that marks the last one. */
function writePart({ channel, writer }: ReturnType<typeof open>, size: number): void {
  const at = channel.counters[0]!
  writer.write('message', new Uint8Array(size))
  channel.ring[(at + 1) & (channel.ring.length - 1)] = 0
}

test('rejects a message that exceeds the limit', () => {
  const opened = open()
  const endless = (): void => {
    for (let count = 0; count < 2_000; count++) {
      writePart(opened, frameSize)
      opened.reader.next()
    }
  }
  expect(endless).toThrow(/at most 8388608 bytes/)
})

test.each([0, 1, frameSize - 1])('rejects a message in parts of %i bytes', (size) => {
  const opened = open()
  writePart(opened, size)
  expect(() => opened.reader.next()).toThrow('the shared memory is corrupted')
})
