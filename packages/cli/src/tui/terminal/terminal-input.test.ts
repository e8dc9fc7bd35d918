import { PassThrough } from 'node:stream'
import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { TerminalInput } from './terminal-input.ts'

function open() {
  const clock = createFakeClock()
  const modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(mode: boolean) {
      this.isRaw = mode
      modes.push(mode)
    },
  })
  const input = new TerminalInput(stdin, clock)
  input.setEncoding()
  const keys: string[] = []
  // As Ink does.
  input.on('readable', () => {
    for (let chunk = input.read(); chunk !== null; chunk = input.read()) keys.push(chunk)
  })
  const type = async (bytes: string | Buffer): Promise<void> => {
    stdin.write(bytes)
    await clock.settle()
  }
  return { clock, modes, stdin, input, keys, type }
}

test('keys arrive at once, Escape when nothing follows, and responses not at all', async () => {
  const { clock, input, keys, type } = open()
  const responses: string[] = []
  const unsubscribe = input.onResponse(({ body }) => responses.push(body))
  const done = input.expectResponse()
  input.setRawMode(true)
  await type('a')
  await type('\u001b[?62c\u001b]11;rgb:00/00')
  await type('/00\u0007b\u001b')
  expect([keys, responses]).toEqual([
    ['a', 'b'],
    ['?62c', '11;rgb:00/00/00'],
  ])
  await clock.advance(50)
  expect(keys).toEqual(['a', 'b', '\u001b[27u'])
  done()
  await type('\u001b')
  await clock.advance(40)
  await type('[')
  await clock.advance(150)
  await type('A')
  expect(keys).toEqual(['a', 'b', '\u001b[27u', '\u001b[A'])
  unsubscribe()
  await type('\u001b[?62c')
  expect(responses).toHaveLength(2)
  expect(clock.pending).toBe(0)
})

test('each chunk is one key', async () => {
  const { input, keys, type } = open()
  input.setRawMode(true)
  await type('hello\r\u001b[A')
  expect(keys).toEqual(['hello', '\r', '\u001b[A'])
})

test('a character may be split between its bytes', async () => {
  const { input, keys, type } = open()
  input.setRawMode(true)
  const bytes = Buffer.from('é漢😀')
  for (const byte of bytes) await type(Buffer.from([byte]))
  await type(Buffer.from([0x61, 0xff, 0x62]))
  expect(keys.join('')).toBe('é漢😀a\ufffdb')
})

test('the terminal is read only in raw mode', async () => {
  const { modes, stdin, input, keys, type } = open()
  await type('before')
  expect(keys).toEqual([])
  input.setRawMode(true)
  await type('')
  expect(keys.join('')).toBe('before')
  input.setRawMode(false)
  await type('for another program')
  expect([keys.join(''), stdin.listenerCount('data'), stdin.isPaused()]).toEqual(['before', 0, true])
  expect(stdin.read().toString()).toBe('for another program')
  expect([modes, input.isRaw, input.isTTY]).toEqual([[true, false], false, true])
})

test('an Escape that is held back is delivered when raw mode ends', async () => {
  const { clock, input, keys, type } = open()
  input.setRawMode(true)
  input.expectResponse()
  await type('\u001b')
  expect(keys).toEqual([])
  input.setRawMode(false)
  await clock.settle()
  expect([keys.join(''), clock.pending]).toEqual(['\u001b[27u', 0])
})

test.each([
  [
    'an error',
    (stdin: PassThrough) => void stdin.emit('error', Object.assign(new Error('read EIO'), { code: 'EIO' })),
  ],
  ['the end', (stdin: PassThrough) => void stdin.end()],
  ['a close', (stdin: PassThrough) => void stdin.destroy()],
])('%s of the terminal is reported once', async (_, lose) => {
  const { clock, modes, stdin, input } = open()
  let lost = 0
  input.onLost(() => lost++)
  input.setRawMode(true)
  lose(stdin)
  await clock.settle()
  stdin.emit('close')
  input.setRawMode(false)
  expect([lost, modes, input.readableEnded]).toEqual([1, [true], true])
})

test('destroying it leaves no listener', async () => {
  const { clock, stdin, input, type } = open()
  const before = new PassThrough().eventNames()
  input.setRawMode(true)
  input.expectResponse()
  await type('\u001b')
  expect(clock.pending).toBe(1)
  input.destroy()
  expect(stdin.eventNames().filter((name) => !before.includes(name))).toEqual([])
  expect(clock.pending).toBe(0)
})
