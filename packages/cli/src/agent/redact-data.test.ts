import { expect, test } from 'vitest'
import { redactData } from './redact-data.ts'

const redact = (text: string): string => text.replaceAll('hunter2', '[secret]')

test('every string is redacted, including keys', () => {
  const data = { a: ['x hunter2', 1, null], hunter2: { b: 'hunter2' }, c: true }
  expect(redactData(data, redact)).toEqual({
    a: ['x [secret]', 1, null],
    '[secret]': { b: '[secret]' },
    c: true,
  })
})

test('what contains no secret is not copied', () => {
  const data = { a: ['x', { b: 1 }] }
  expect(redactData(data, redact)).toBe(data)
})
