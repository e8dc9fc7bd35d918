import { expect, test } from 'vitest'
import { maxWindowLength, OutputWindow } from './output-window.ts'

const part = (text: string, offset: number) => ({
  text,
  offset,
  next: offset + text.length,
  length: offset + text.length,
  ended: false,
  dropped: 0,
})

test('parts are joined, also one that begins a character early', () => {
  const window = new OutputWindow()
  window.add(part('one ', 10))
  window.add(part('two 😀', 14))
  window.add(part('😀 three', 18))
  expect([window.text, window.offset]).toEqual(['one two 😀 three', 10])
})

test('after a gap, only what follows is kept', () => {
  const window = new OutputWindow()
  window.add(part('one', 0))
  window.add(part('two', 100))
  expect([window.text, window.offset]).toEqual(['two', 100])
  window.add(part('zero', 50))
  expect([window.text, window.offset]).toEqual(['zero', 50])
  window.add(part('', 200))
  expect([window.text, window.offset]).toEqual(['zero', 50])
})

test('at most 262,144 characters are kept, and no surrogate pair is split', () => {
  const window = new OutputWindow()
  const chunk = `${'😀'.repeat(500)}a`
  let all = ''
  for (let index = 0; index < 600; index++) {
    window.add(part(chunk, all.length))
    all += chunk
    expect(window.text.length).toBeLessThanOrEqual(maxWindowLength)
    expect(window.offset + window.text.length).toBe(all.length)
  }
  expect(window.text).toBe(all.slice(window.offset))
  expect(window.text.isWellFormed()).toBe(true)
  expect(window.text.length).toBeGreaterThan(190_000)
})
