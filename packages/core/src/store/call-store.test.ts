import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Question } from '../call/question.ts'
import type { CallDelta } from '../rows/call-delta.ts'
import { createMirror } from '../rows/create-mirror.ts'
import { Redactor } from '../secrets/redactor.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { CallStore } from './call-store.ts'

function setUp() {
  const clock = createFakeClock()
  const store = new CallStore(clock, 10, () => {}, new Redactor())
  const deltas: CallDelta[] = []
  store.subscribe((delta) => deltas.push(delta))
  return { clock, store, deltas }
}

const question = (id: number) => ({ id, kind: 'input', message: `question ${id}` }) as unknown as Question

test('open questions are part of the snapshot and of deltas', async () => {
  const { clock, store, deltas } = setUp()
  store.openQuestion(question(1))
  store.openQuestion(question(2))
  await clock.settle()
  store.closeQuestion(1)
  await clock.settle()
  expect(deltas.map(({ opened, closed }) => [opened.map(({ id }) => id), closed])).toEqual([
    [[1, 2], []],
    [[], [1]],
  ])
  expect(store.snapshot().questions).toEqual([question(2)])
  expect(store.snapshot().questions).toBe(store.snapshot().questions)
})

test('a question that is closed before the notification is not announced', async () => {
  const { clock, store, deltas } = setUp()
  store.openQuestion(question(1))
  store.closeQuestion(1)
  store.closeQuestion(1)
  await clock.settle()
  expect(deltas).toMatchObject([{ opened: [], closed: [1] }])
})

test('changes of questions can be read since a revision, unless that is too long ago', async () => {
  const { clock, store } = setUp()
  const { revision } = store.snapshot()
  store.openQuestion(question(1))
  await clock.settle()
  store.openQuestion(question(2))
  store.closeQuestion(1)
  await clock.settle()
  expect(store.changesSince(revision)).toMatchObject({ from: revision, opened: [question(2)], closed: [1] })
  expect(store.changesSince(revision + 1)).toMatchObject({ opened: [question(2)], closed: [1] })
  expect(store.changesSince(revision + 2)).toMatchObject({ opened: [], closed: [] })
  expect(store.changesSince(revision + 3)).toBe(null)
  for (let id = 3; id < 1_100; id++) {
    store.openQuestion(question(id))
    store.closeQuestion(id)
  }
  expect(store.changesSince(revision)).toBe(null)
})

test('a revision starts with the time, so that one of an earlier process is recognized', async () => {
  const clock = createFakeClock()
  await clock.advance(5_000)
  const store = new CallStore(clock, 10, () => {}, new Redactor())
  expect(store.snapshot().revision).toBe(5_000)
  expect(store.changesSince(4_999)).toBe(null)
  expect(store.changesSince(5_000)).toMatchObject({ from: 5_000, revision: 5_000, changed: [] })
  expect(store.changesSince(Number.NaN)).toBe(null)
  expect(store.changesSince('5000' as never)).toBe(null)
})

test('a mirror has the same questions, whatever is lost', async () => {
  const steps = fc.array(
    fc.constantFrom('open', 'close', 'close', 'settle', 'lose', 'disconnect', 'reconnect'),
    {
      maxLength: 60,
    },
  )
  await fc.assert(
    fc.asyncProperty(steps, fc.infiniteStream(fc.nat()), async (plan, choices) => {
      const clock = createFakeClock()
      const store = new CallStore(clock, 10, () => {}, new Redactor())
      const mirror = createMirror()
      let unsubscribe = null as (() => void) | null
      let lose = false
      let lastId = 0
      const reconnect = (): void => {
        unsubscribe ??= store.subscribe((delta) => {
          if (lose) lose = false
          else if (!mirror.apply(delta)) reconnect()
        })
        const changes = store.changesSince(mirror.getSnapshot().revision)
        expect(changes === null ? mirror.reset(store.snapshot()) : mirror.apply(changes)).toBe(true)
      }
      reconnect()
      for (const step of plan) {
        if (step === 'open') store.openQuestion(question(++lastId))
        else if (step === 'close') store.closeQuestion(1 + (choices.next().value! % (lastId + 1)))
        else if (step === 'settle') await clock.settle()
        else if (step === 'lose') lose = true
        else if (step === 'reconnect') reconnect()
        else {
          unsubscribe?.()
          unsubscribe = null
        }
      }
      await clock.settle()
      reconnect()
      expect(mirror.getSnapshot()).toEqual(store.snapshot())
    }),
    { numRuns: 500 },
  )
}, 120_000)
