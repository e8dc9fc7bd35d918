import { expect, test } from 'vitest'
import { BackOff } from './back-off.ts'

test('the first restart is immediate, later ones are delayed up to a limit', () => {
  const backOff = new BackOff()
  const waits = Array.from({ length: 9 }, () => {
    backOff.onFailure(0, 0)
    return backOff.waitMs(0)
  })
  expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  expect(backOff.waitMs(29_000)).toBe(1_000)
  expect(backOff.waitMs(40_000)).toBe(0)
})

test('a server that ran for a while starts without delay again', () => {
  const backOff = new BackOff()
  for (let i = 0; i < 5; i++) backOff.onFailure(0, 0)
  backOff.onFailure(0, 60_000)
  expect(backOff.waitMs(0)).toBe(0)
})
