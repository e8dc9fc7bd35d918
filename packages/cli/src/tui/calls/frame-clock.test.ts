import { createFakeClock } from '@curfew/core/testing'
import { expect, it } from 'vitest'
import { FrameClock } from './frame-clock.ts'

function setUp(tickMs?: number) {
  const time = createFakeClock()
  const clock = new FrameClock(time, tickMs)
  let frames = 0
  clock.subscribe(() => frames++)
  const during = async (ms: number): Promise<number> => {
    const before = frames
    await time.advance(ms)
    return frames - before
  }
  return { time, clock, during }
}

it('runs only while a call is watched', async () => {
  const { time, clock, during } = setUp()
  expect(await during(1_000)).toBe(0)
  const unwatch = clock.watch()
  expect(await during(1_500)).toBe(10)
  unwatch()
  unwatch()
  expect(await during(1_000)).toBe(0)
  expect(time.pending).toBe(0)
})

it('ticks once per second for many calls', async () => {
  const { clock, during } = setUp()
  for (let call = 0; call < 10; call++) clock.watch()
  await during(1_000)
  expect(await during(5_000)).toBe(5)
})

it('any number of changes is drawn in one frame, at most seven times per second', async () => {
  const { time, clock, during } = setUp()
  clock.request()
  clock.request()
  expect(await during(0)).toBe(1)
  let frames = 0
  for (let ms = 0; ms < 1_000; ms++) {
    clock.request()
    frames += await during(1)
  }
  expect(frames).toBeGreaterThan(5)
  expect(frames).toBeLessThanOrEqual(7)
  await during(1_000)
  expect(time.pending).toBe(0)
})

it('a change is drawn although no call is watched any more', async () => {
  const { clock, during } = setUp()
  const unwatch = clock.watch()
  await during(160)
  clock.request()
  unwatch()
  expect(await during(200)).toBe(1)
})

it('the spinner turns with each tick', async () => {
  const { clock, during } = setUp(1_000)
  const spinners = new Set<string>()
  for (let second = 0; second < 10; second++) {
    spinners.add(clock.spinner)
    await during(1_000)
  }
  expect(spinners.size).toBe(10)
})
