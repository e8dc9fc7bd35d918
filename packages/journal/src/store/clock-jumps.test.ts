import { expect, test } from 'vitest'
import { ClockJumps } from './clock-jumps.ts'

const hour = 3_600_000

function setUp() {
  const time = { wall: 1_800_000_000_000, uptime: 5_000, isReadable: true }
  const jumps = new ClockJumps({ now: () => time.wall, uptime: () => (time.isReadable ? time.uptime : null) })
  return {
    jumps,
    time,
    /** Both clocks go on, also while the machine sleeps. */
    pass(ms: number) {
      time.wall += ms
      time.uptime += ms
    },
    set(ms: number) {
      time.wall += ms
    },
  }
}

test('time that passes is not a jump, however much of it', () => {
  const { jumps, pass } = setUp()
  pass(1_000 * hour)
  expect(jumps.check()).toBe(0)
  expect(jumps.isTrusted).toBe(true)
})

test.each([8_760 * hour, -hour])('a clock that is set by %i ms has jumped', (ms) => {
  const { jumps, pass, set } = setUp()
  pass(hour)
  set(ms)
  expect(jumps.check()).toBe(ms)
  expect(jumps.isTrusted).toBe(false)
  pass(23 * hour)
  expect(jumps.check()).toBe(0)
  expect(jumps.isTrusted).toBe(false)
  pass(2 * hour)
  expect(jumps.isTrusted).toBe(true)
})

test('small corrections are not jumps', () => {
  const { jumps, set } = setUp()
  set(30_000)
  expect(jumps.check()).toBe(0)
  set(-30_000)
  expect(jumps.check()).toBe(0)
})

test('a clock that cannot be read for a while has not jumped, and is checked afterwards', () => {
  const { jumps, time, pass, set } = setUp()
  time.isReadable = false
  pass(hour)
  expect(jumps.check()).toBe(0)
  expect(jumps.isTrusted).toBe(true)
  set(2 * hour)
  time.isReadable = true
  expect(jumps.check()).toBe(2 * hour)
  time.isReadable = false
  expect(jumps.isTrusted).toBe(false)
})
