import { expect, test, vi } from 'vitest'
import { createTheme } from '../theme/theme.ts'
import { Transcript } from './transcript.ts'

const layout = { width: 80, theme: createTheme('plain') }

/** What `<Static>` would print: within a generation, only items after those that it has printed. */
function printTo(transcript: Transcript): string[] {
  const printed: string[] = []
  let generation = -1
  let count = 0
  const print = (): void => {
    const snapshot = transcript.getSnapshot()
    if (snapshot.generation !== generation) count = 0
    generation = snapshot.generation
    for (const item of snapshot.items.slice(count)) printed.push(...item.lines(layout))
    count = snapshot.items.length
  }
  transcript.subscribe(print)
  return printed
}

test('every item is printed once and in order, although old ones are dropped', () => {
  const transcript = new Transcript()
  const printed = printTo(transcript)
  for (let index = 0; index < 1_000; index++) {
    transcript.add(() => [`line ${index}`])
    if (index % 3 === 0) transcript.flush()
    expect(transcript.getSnapshot().items.length).toBeLessThanOrEqual(210)
  }
  transcript.flush()
  expect(printed).toEqual(Array.from({ length: 1_000 }, (_, index) => `line ${index}`))
})

test('many items are printed in several steps, so that keys are handled in between', () => {
  const transcript = new Transcript()
  const printed = printTo(transcript)
  const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index}`)
  for (const line of lines) transcript.add(() => [line])
  let steps = 1
  for (let before = 0; transcript.flush(); steps++) {
    expect(printed.length - before).toBeLessThanOrEqual(200)
    before = printed.length
  }
  expect([steps, printed]).toEqual([50, lines])
})

test('items wait while it is held', () => {
  const transcript = new Transcript()
  const printed = printTo(transcript)
  transcript.isHeld = true
  transcript.add(() => ['one'])
  transcript.flush()
  expect(printed).toEqual([])
  transcript.isHeld = false
  transcript.flush()
  expect(printed).toEqual(['one'])
})

test('the snapshot stays the same, and nobody is notified, while nothing is added', () => {
  const transcript = new Transcript()
  const listener = vi.fn()
  const unsubscribe = transcript.subscribe(listener)
  const before = transcript.getSnapshot()
  transcript.flush()
  expect(transcript.getSnapshot()).toBe(before)
  unsubscribe()
  transcript.add(() => [])
  transcript.flush()
  expect(listener).not.toHaveBeenCalled()
})
