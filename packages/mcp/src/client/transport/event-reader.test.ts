import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventReader, type ServerEvent, writeEvent } from './event-reader.ts'

function read(text: string, step = text.length, maxLength = 1_000): (ServerEvent | null)[] {
  const reader = new EventReader(maxLength)
  const bytes = Buffer.from(text)
  const events: (ServerEvent | null)[] = []
  for (let from = 0; from < bytes.length; from += step) {
    const complete = reader.push(bytes.subarray(from, from + step))
    if (complete === null) return [...events, null]
    events.push(...complete)
  }
  return events
}

const message = (data: string): ServerEvent => ({ type: '', data, id: null, retryMs: null })

test('events are complete for all line endings and chunk boundaries', () => {
  const data = fc.array(fc.string({ unit: fc.constantFrom('a', ' ', ':', 'ä', '{') }), { minLength: 1 })
  const ending = fc.constantFrom('\n', '\r\n', '\r')
  fc.assert(
    fc.property(fc.array(data), ending, fc.integer({ min: 1, max: 9 }), (events, end, step) => {
      const lines = events.map((one) => one.map((text) => `data: ${text}${end}`).join('') + end)
      expect(read(lines.join(''), step, 100_000)).toEqual(events.map((one) => message(one.join('\n'))))
    }),
  )
})

test('a serialized event can be read again', () => {
  const event = { type: 'endpoint', data: 'one\ntwo', id: '7', retryMs: 1_000 }
  expect(read(writeEvent(event))).toEqual([event])
})

test('comments, unknown fields and blank lines are ignored', () => {
  expect(read(': ping\n\n\nother: 1\n\ndata:x\n\n')).toEqual([message('x')])
  expect(read(': ping\n'.repeat(1_000), 100, 50)).toEqual([])
})

test('an event that is too large is not kept', () => {
  expect(read(`data: a\n\ndata: ${'x'.repeat(100)}`, 10, 50)).toEqual([message('a'), null])
  expect(read('data: x\n'.repeat(100), 10, 50)).toEqual([null])
})

test('the retry delay is bounded, and an id that is not a valid header is ignored', () => {
  for (const [value, retryMs] of [
    ['0', 500],
    ['99999999999999999999', 60_000],
    ['2000', 2_000],
  ])
    expect(read(`retry: ${value}\ndata: x\n\n`)).toEqual([{ ...message('x'), retryMs }])
  expect(read('retry: -1\ndata: x\n\n')).toEqual([message('x')])
  for (const id of ['\u0100', 'a\u0000', 'x'.repeat(1_001)])
    expect(read(`id: ${id}\ndata: x\n\n`, 100, 10_000)).toEqual([message('x')])
})
