import { PassThrough } from 'node:stream'
import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { TerminalLines } from './terminal-lines.ts'

function open() {
  const clock = createFakeClock()
  const source = new PassThrough()
  const texts: string[] = []
  let ends = 0
  const lines = new TerminalLines(source, { onText: (text) => texts.push(text), onEnd: () => ends++ }, clock)
  lines.start()
  const type = async (text: string | Buffer): Promise<void> => {
    source.write(text)
    await clock.settle()
  }
  return { clock, source, texts, lines, type, ends: () => ends }
}

test('a line is delivered when nothing follows it; the lines of a paste are one text', async () => {
  const { clock, texts, type } = open()
  await type('he')
  await type('llo\n')
  expect(texts).toEqual([])
  await clock.advance(50)
  await type('one\n')
  await type('two\nthr')
  await type('ee\n')
  await clock.advance(50)
  expect(texts).toEqual(['hello', 'one\ntwo\nthree'])
})

test('characters may be split between their bytes', async () => {
  const { clock, texts, type } = open()
  for (const byte of Buffer.from('é😀\n')) await type(Buffer.from([byte]))
  await clock.advance(50)
  expect(texts).toEqual(['é😀'])
})

test('the next line can be for a question, but not one that was typed before it', async () => {
  const { clock, texts, lines, type } = open()
  await type('y\nhalf')
  lines.pause()
  expect(texts).toEqual(['y'])
  lines.resume()
  const answer = lines.next(new AbortController().signal)
  await type('n\n')
  await clock.advance(50)
  expect([await answer, texts]).toEqual(['n', ['y']])
})

test('an aborted signal and the end of input end a question', async () => {
  const { source, lines, ends } = open()
  const call = new AbortController()
  const aborted = lines.next(call.signal)
  call.abort()
  expect(await aborted).toBeNull()
  expect(await lines.next(call.signal)).toBeNull()
  const last = lines.next(new AbortController().signal)
  source.end()
  expect([await last, ends()]).toEqual([null, 1])
})

test('nothing is left behind', async () => {
  const { clock, source, lines, type } = open()
  await type('x\n')
  lines.stop()
  expect([source.listenerCount('data'), source.isPaused(), clock.pending]).toEqual([0, true, 0])
})
