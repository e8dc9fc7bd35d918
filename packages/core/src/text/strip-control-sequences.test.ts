import { expect, test } from 'vitest'
import { stripControlSequences } from './strip-control-sequences.ts'

test.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b]0;title\u0007text', 'text'],
  ['\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001bPdata\u001b\\text', 'text'],
  ['\u009b1mtext', 'text'],
  ['\u001b]0;without an end\ntext', '0;without an end\ntext'],
  ['plain', 'plain'],
])('%j', (text, expected) => {
  expect(stripControlSequences(text)).toBe(expected)
})

test.each(['\u001b]', '\u001b[', '\u001bP', '\u001b]0;a', '\u009b1;'])(
  'takes linear time for many starts of %j',
  (start) => {
    const startedAt = performance.now()
    stripControlSequences(start.repeat(1_000_000))
    // Quadratic time would be hours.
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  },
)
