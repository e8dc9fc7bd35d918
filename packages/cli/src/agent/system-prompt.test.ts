import { expect, test } from 'vitest'
import { systemPrompt } from './system-prompt.ts'

test('contains the folder and the date, is short, and stays the same during a day', () => {
  const at = (hours: number) =>
    systemPrompt({ folder: '/work', now: new Date(2026, 10, 5, hours), attended: false })
  expect(at(1)).toBe(at(23))
  expect(at(1)).toContain('Working directory: /work')
  expect(at(1)).toContain('Date: 2026-11-05')
  expect(at(1).length).toBeLessThan(1_500)
})

test('says whether a person can be asked', () => {
  const of = (attended: boolean) => systemPrompt({ folder: '/', now: new Date(0), attended })
  expect(of(false)).toContain('Nobody can be asked')
  expect(of(true)).toContain('A person may be asked')
})
