import { createMirror, type Mirror } from '@curfew/core/rows'
import { describe, expect, test } from 'vitest'
import { change } from '../test/support/change-rows.ts'
import { countedSource } from '../test/support/counted-source.ts'
import { rowOf } from '../test/support/row-of.ts'
import { currentOutput, followOutput } from './output-follower.ts'
import type { CallSource, OutputPart } from './sources.ts'

type Read = (uid: number, from: number) => Promise<OutputPart | null>

function setUp(readOutput?: Read) {
  const mirror = createMirror()
  mirror.reset({ revision: 0, calls: [rowOf(1)], questions: [] })
  const source: CallSource = countedSource(readOutput === undefined ? mirror : { ...mirror, readOutput })
  let notified = 0
  const unsubscribe = followOutput(source, 1, () => notified++)
  return { mirror, source, unsubscribe, notified: () => notified, current: () => currentOutput(source, 1) }
}

/** A source's output, read at most 100,000 characters at a time. */
function readerOf(output: { text: string; ended?: boolean; kept?: number }) {
  const requests: number[] = []
  const read: Read = async (_uid, from) => {
    requests.push(from)
    const { text: all, ended = false, kept = all.length } = output
    const start = Math.min(from, kept)
    const text = all.slice(start, Math.min(start + 100_000, kept))
    const position =
      text === ''
        ? { offset: from, next: Math.max(from, all.length) }
        : { offset: start, next: start + text.length }
    return { text, ...position, length: all.length, ended, dropped: all.length - kept }
  }
  return { read, requests }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const show = (mirror: Mirror, outputLength: number, fields: Parameters<typeof rowOf>[1] = {}): void =>
  change(mirror, { changed: [rowOf(1, { outputLength, ...fields })] })

test('without `readOutput`, the output is the end that the row contains', () => {
  const { mirror, current, notified } = setUp()
  expect(current()).toEqual({
    text: '',
    pending: '',
    offset: 0,
    length: 0,
    ended: false,
    dropped: 0,
    error: null,
  })
  show(mirror, 5_000, { outputTail: 'the end' })
  expect(current()).toMatchObject({ text: 'the end', offset: 4_993, length: 5_000, ended: false })
  const before = current()
  show(mirror, 5_000, { outputTail: 'the end', progress: { current: 1 } })
  expect(current()).toBe(before)
  show(mirror, 5_000, { outputTail: 'the end', status: 'success' })
  expect(current()).toMatchObject({ text: 'the end', ended: true })
  expect(notified()).toBe(2)
})

test('the output of a call that continues in the background has not ended', () => {
  const { mirror, current } = setUp()
  show(mirror, 3, { outputTail: 'abc', status: 'success', detachedTo: 9 })
  expect(current()?.ended).toBe(false)
})

test('output is read as it arrives, and not if only something else has changed', async () => {
  const output = { text: '', ended: false }
  const { read, requests } = readerOf(output)
  const { mirror, current, notified } = setUp(read)
  await settle()
  expect([requests, notified()]).toEqual([[0], 0])
  output.text = 'one\n'
  show(mirror, 4)
  await settle()
  expect(current()).toEqual({
    text: 'one\n',
    pending: '',
    offset: 0,
    length: 4,
    ended: false,
    dropped: 0,
    error: null,
  })
  show(mirror, 4, { progress: { current: 1 } })
  await settle()
  expect([requests, notified()]).toEqual([[0, 0], 1])
  output.text = 'one\ntwo\n'
  output.ended = true
  show(mirror, 8, { status: 'success' })
  await settle()
  expect(current()).toMatchObject({ text: 'one\ntwo\n', ended: true })
  expect([requests, notified()]).toEqual([[0, 0, 4], 2])
})

test('listeners are notified once for output in several parts, of which only the end is read', async () => {
  const output = { text: '' }
  const { read, requests } = readerOf(output)
  const { mirror, current, notified } = setUp(read)
  await settle()
  requests.length = 0
  output.text = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('')
  const { length } = output.text
  show(mirror, length)
  await settle()
  const { text, offset } = current()!
  expect(text === output.text.slice(length - 262_144)).toBe(true)
  expect(offset).toBe(length - 262_144)
  expect(requests).toEqual([offset, offset + 100_000, offset + 200_000])
  expect(notified()).toBe(1)
})

test('output that is longer than its row said is read to the end with the next change', async () => {
  const output = { text: 'x'.repeat(250_000) }
  const { mirror, current } = setUp(readerOf(output).read)
  await settle()
  expect(current()).toMatchObject({ length: 250_000, text: 'x'.repeat(100_000) })
  show(mirror, 250_000)
  await settle()
  expect(current()?.text.length).toBe(250_000)
})

test('what a runtime did not keep is skipped, and the end of what it kept is shown', async () => {
  const output = { text: 'x'.repeat(500_000), kept: 100 }
  const { mirror, current } = setUp(readerOf(output).read)
  show(mirror, output.text.length)
  await settle()
  expect(current()).toMatchObject({ text: 'x'.repeat(100), offset: 0, length: 500_000, dropped: 499_900 })
})

test('changes while a part is read are followed by another read, one at a time', async () => {
  const output = { text: 'a' }
  const { read, requests } = readerOf(output)
  const waiting: (() => void)[] = []
  const { mirror, current } = setUp(async (uid, from) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return await read(uid, from)
  })
  for (let length = 1; length <= 3; length++) {
    output.text = 'a'.repeat(length)
    show(mirror, length)
  }
  expect(waiting).toHaveLength(1)
  waiting.shift()!()
  await settle()
  waiting.shift()?.()
  await settle()
  expect([requests, waiting]).toEqual([[0], []])
  expect(current()?.text).toBe('aaa')
})

describe('failures', () => {
  test('until a part could be read, the end that the row contains is shown with the error', async () => {
    const failure = new Error('connection lost')
    const output = { text: 'abc' }
    const { read } = readerOf(output)
    let fails = true
    const { mirror, current } = setUp((uid, from) => (fails ? Promise.reject(failure) : read(uid, from)))
    show(mirror, 3, { outputTail: 'bc' })
    await settle()
    expect(current()).toMatchObject({ text: 'bc', offset: 1, length: 3, error: failure })
    fails = false
    show(mirror, 3, { outputTail: 'bc', progress: { current: 1 } })
    await settle()
    expect(current()).toMatchObject({ text: 'abc', offset: 0, error: null })
    fails = true
    output.text = 'abcd'
    show(mirror, 4)
    await settle()
    expect(current()).toMatchObject({ text: 'abc', offset: 0, error: failure })
  })

  test.each<[string, unknown]>([
    ['no object', 'text'],
    ['no text', { offset: 0, next: 0, length: 0, ended: false, dropped: 0 }],
    ['a negative offset', { text: 'a', offset: -1, next: 0, length: 0, ended: false, dropped: 0 }],
    ['no number', { text: 'a', offset: 0, next: Number.NaN, length: 0, ended: false, dropped: 0 }],
  ])('a part that is not one is an error: %s', async (_name, part) => {
    const { current } = setUp(async () => part as OutputPart)
    await settle()
    expect(current()?.error).toBeInstanceOf(TypeError)
  })

  test('a source that makes no progress is not asked again until the call changes', async () => {
    const requests: number[] = []
    const part = { text: '', offset: 0, next: 0, length: 0, ended: false, dropped: 0 }
    const { mirror } = setUp(async (_uid, from) => {
      requests.push(from)
      return part
    })
    show(mirror, 50, { status: 'success' })
    await settle()
    await settle()
    // One for the subscription, at most one for the change.
    expect(requests.length).toBeLessThanOrEqual(2)
  })

  test('a call that the source does not know has the output of its row', async () => {
    const { mirror, current } = setUp(async () => null)
    show(mirror, 3, { outputTail: 'abc' })
    await settle()
    expect(current()).toMatchObject({ text: 'abc', error: null })
  })
})

test('a removed call has no output, and another call with the same uid starts anew', async () => {
  const output = { text: 'first call' }
  const hanging: (() => void)[] = []
  const { read } = readerOf(output)
  let hangs = false
  const { mirror, current } = setUp(async (uid, from) => {
    const part = await read(uid, from)
    if (hangs) await new Promise<void>((resolve) => hanging.push(resolve))
    return part
  })
  show(mirror, 10)
  await settle()
  expect(current()?.text).toBe('first call')
  hangs = true
  output.text = 'first call, more'
  show(mirror, 16)
  await settle()
  change(mirror, { removed: [1] })
  expect(current()).toBeUndefined()
  hangs = false
  output.text = 'other'
  mirror.reset({ revision: 900, calls: [rowOf(1, { createdAt: 5, outputLength: 5 })], questions: [] })
  await settle()
  expect(current()?.text).toBe('other')
  // The late response of the first call is ignored.
  for (const resolve of hanging) resolve()
  await settle()
  expect(current()?.text).toBe('other')
})

test('after the last listener is removed, nothing is read and nothing is kept', async () => {
  const output = { text: 'abc' }
  const { read, requests } = readerOf(output)
  const { mirror, source, unsubscribe, current, notified } = setUp(read)
  const other = followOutput(source, 1, () => {})
  show(mirror, 3, { outputTail: 'tail' })
  await settle()
  unsubscribe()
  unsubscribe()
  expect(current()?.text).toBe('abc')
  other()
  expect((source as ReturnType<typeof countedSource>).listeners).toEqual({ all: 0, ofCalls: 0 })
  const before = [requests.length, notified()]
  show(mirror, 9, { outputTail: 'tail' })
  await settle()
  expect([requests.length, notified()]).toEqual(before)
  expect(current()?.text).toBe('tail')
})

test('what may become part of a secret follows what was read, and is replaced', async () => {
  const output = { text: 'all test' }
  const { read, requests } = readerOf(output)
  const { mirror, current } = setUp(read)
  show(mirror, 8, { outputPending: 's' })
  await settle()
  expect(current()).toMatchObject({ text: 'all test', pending: 's', length: 8 })
  show(mirror, 8, { outputPending: 's\n…' })
  await settle()
  expect(current()).toMatchObject({ text: 'all test', pending: 's\n…' })
  expect(requests.length).toBeLessThanOrEqual(2)
  output.text = 'all tests\n'
  show(mirror, 10)
  await settle()
  expect(current()).toMatchObject({ text: 'all tests\n', pending: '' })
})
