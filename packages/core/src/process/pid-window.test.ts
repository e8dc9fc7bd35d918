import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../testing/index.ts'
import { PidWindow } from './pid-window.ts'

describe.runIf(process.platform === 'linux')('the pids that may have been started since', () => {
  test('a few are just counted', () => {
    expect(new PidWindow(500).pids(503)).toEqual([501, 502, 503])
    expect(new PidWindow(500).pids(500)).toEqual([])
  })

  test('numbers go round', () => {
    const pids = new PidWindow(4_194_000).pids(1)
    expect(pids).toContain(1)
    expect(pids).not.toContain(process.pid)
    expect(new PidWindow(process.pid - 1).pids(process.pid - 2)).toContain(process.pid)
  })

  test('of many, only those that exist', () => {
    const pids = new PidWindow(0).pids(4_194_304)
    expect(pids).toContain(process.pid)
    expect(pids.length).toBeLessThan(50_000)
  })

  test('one that was given stays in view for a while, and goes then', async () => {
    const clock = createFakeClock()
    const window = new PidWindow(500, clock)
    window.pids(501)
    await clock.advance(200)
    expect(window.pids(503)).toEqual([501, 502, 503])
    await clock.advance(100)
    window.pids(504)
    await clock.advance(260)
    expect(window.pids(505)).toEqual([505])
  })

  test("what was ruled out comes back when its number might be another's", async () => {
    const clock = createFakeClock()
    const window = new PidWindow(500, clock)
    window.ruleOut(502)
    expect(window.pids(503)).toEqual([501, 503])
    await clock.advance(260)
    expect(window.pids(503)).toEqual([501, 502, 503])
  })

  test('after a second without a look it is everybody', async () => {
    const clock = createFakeClock()
    const window = new PidWindow(500, clock)
    await clock.advance(1_001)
    expect(window.pids(501)).toEqual(expect.arrayContaining([1, process.pid]))
  })

  test('and wherever the kernel does not tell', () => {
    expect(new PidWindow(null).pids(null)).toContain(process.pid)
  })
})
