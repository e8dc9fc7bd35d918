import { beforeEach, expect, test } from 'vitest'
import { JournalWarnings } from './journal-warnings.ts'

let messages: string[]
let warnings: JournalWarnings

beforeEach(() => {
  messages = []
  warnings = new JournalWarnings('/state/x.db', (message) => messages.push(message))
})

test('a problem is reported once, even if it comes back', () => {
  for (let round = 0; round < 3; round++) {
    warnings.retrying('the disk is full; free some space')
    warnings.retrying('disk I/O error')
    warnings.solved()
    warnings.solved()
  }
  expect(messages).toEqual([
    '/state/x.db: calls are not recorded at the moment: the disk is full; free some space',
  ])
})

test('a later problem is reported as well', () => {
  warnings.retrying('the disk is full; free some space')
  warnings.solved()
  warnings.retrying('it is read-only')
  warnings.failed('it is damaged')
  warnings.failed('it is damaged')
  expect(messages).toHaveLength(3)
})

test.each([
  [8_760 * 3_600_000, 'set ahead by 8760 hours'],
  [-900_000, 'set back by 0.3 hours'],
])('a jump of %i ms: %s', (ms, text) => {
  warnings.jumped(ms)
  warnings.jumped(ms)
  expect(messages).toEqual([expect.stringContaining(text)])
})

test('a program that fails to warn does not fail', () => {
  const failing = new JournalWarnings('/x', () => {
    throw new Error('no terminal')
  })
  expect(() => failing.replaced()).not.toThrow()
})
