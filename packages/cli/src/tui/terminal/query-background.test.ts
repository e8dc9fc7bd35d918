import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import type { TerminalResponse } from './match-sequence.ts'
import { parseColor, queryBackground } from './query-background.ts'

function ask({ isTTY = true, isRaw = true } = {}) {
  const clock = createFakeClock()
  const listeners = new Set<(response: TerminalResponse) => void>()
  const lost = new Set<() => void>()
  let expected = 0
  const input = {
    isTTY,
    isRaw,
    onResponse(listener: (response: TerminalResponse) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onLost(listener: () => void) {
      lost.add(listener)
      return () => lost.delete(listener)
    },
    expectResponse() {
      expected++
      return () => void expected--
    },
  }
  const written: string[] = []
  const background = queryBackground(input, { write: (text) => written.push(text) }, 200, clock)
  const answer = (introducer: '[' | ']', body: string): void => {
    for (const listener of listeners) listener({ introducer, body })
  }
  const left = (): number => listeners.size + lost.size + expected + clock.pending
  return { background, written, answer, lose: () => [...lost].map((listener) => listener()), clock, left }
}

test.each([
  ['11;rgb:ffff/ffff/ffff', 'light'],
  ['11;rgb:0000/0000/0000', 'dark'],
  ['11;rgb:fdfd/f6f6/e3e3', 'light'],
  ['11;rgb:0000/2b2b/3636', 'dark'],
  ['11;rgb:1e/1e/1e', 'dark'],
  ['11;rgba:ffff/ffff/ffff/8000', 'light'],
  ['11;#fafafa', 'light'],
  ['11;nonsense', null],
])('%s is %s', async (body, expected) => {
  const { background, written, answer, left } = ask()
  expect(written).toEqual(['\u001b]11;?\u0007\u001b[c'])
  answer('[', 'I')
  answer(']', '10;rgb:0/0/0')
  answer(']', body)
  expect(await background).toBe(expected)
  expect(left()).toBe(0)
})

test('a terminal that answers only the second question does not know', async () => {
  const { background, answer, left } = ask()
  answer('[', '?62;4c')
  expect([await background, left()]).toEqual([null, 0])
})

test('a terminal that does not answer is waited for only so long', async () => {
  const { background, clock, left } = ask()
  expect([await clock.runUntil(background), clock.now(), left()]).toEqual([null, 200, 0])
})

test('a terminal that goes away does not know', async () => {
  const { background, lose, left } = ask()
  lose()
  expect([await background, left()]).toEqual([null, 0])
})

test.each([{ isTTY: false }, { isRaw: false }])('nothing is asked with %j', async (some) => {
  const { background, written, left } = ask(some)
  expect([await background, written, left()]).toEqual([null, [], 0])
})

test.each([
  ['rgb:f/8/0', [1, 8 / 15, 0]],
  ['rgb:fff/000/fff', [1, 0, 1]],
  ['#FF0000', [1, 0, 0]],
  ['rgb:ff/ff', null],
  ['rgb:fffff/0/0', null],
  ['', null],
])('the colour %s', (text, color) => {
  expect(parseColor(text)).toEqual(color)
})
