import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../testing/index.ts'
import { PidWindow } from './pid-window.ts'

const manyPids = 4_194_304
const fewPids = 32_768

describe.runIf(process.platform === 'linux')('PidWindow', () => {
  test('lists a small range without reading /proc', () => {
    expect(new PidWindow(500).pids(503)).toEqual([501, 502, 503])
    expect(new PidWindow(500).pids(500)).toEqual([])
  })

  test('handles pid wraparound', () => {
    const pids = new PidWindow(4_194_000).pids(1)
    expect(pids).toContain(1)
    expect(pids).not.toContain(process.pid)
    expect(new PidWindow(process.pid - 1).pids(process.pid - 2)).toContain(process.pid)
  })

  test('lists only existing pids of a large range', () => {
    const pids = new PidWindow(0).pids(4_194_304)
    expect(pids).toContain(process.pid)
    expect(pids.length).toBeLessThan(50_000)
  })

  test('keeps a pid for the settling time, then drops it', async () => {
    const clock = createFakeClock()
    const window = new PidWindow(500, clock, manyPids)
    window.pids(501)
    await clock.advance(200)
    expect(window.pids(503)).toEqual([501, 502, 503])
    await clock.advance(100)
    window.pids(504)
    await clock.advance(260)
    expect(window.pids(505)).toEqual([505])
  })

  test('returns an excluded pid once it might have been reused', async () => {
    const clock = createFakeClock()
    const window = new PidWindow(500, clock, manyPids)
    window.ruleOut(502)
    expect(window.pids(503)).toEqual([501, 503])
    await clock.advance(260)
    expect(window.pids(503)).toEqual([501, 502, 503])
  })

  test('returns all pids after a second without a scan', async () => {
    const clock = createFakeClock()
    const window = new PidWindow(500, clock, manyPids)
    await clock.advance(1_001)
    expect(window.pids(501)).toEqual(expect.arrayContaining([1, process.pid]))
  })

  test('returns all pids after a time in which they may have wrapped around', async () => {
    const clock = createFakeClock()
    const [few, many] = [fewPids, manyPids].map((pids) => new PidWindow(500, clock, pids))
    await clock.advance(32)
    expect(few!.pids(501)).toEqual([501])
    await clock.advance(33)
    expect(few!.pids(502)).toEqual(expect.arrayContaining([1, process.pid]))
    expect(many!.pids(502)).toEqual([501, 502])
  })

  test('returns all pids until a settling time after they wrapped around between two scans', async () => {
    const clock = createFakeClock()
    const window = new PidWindow(500, clock, fewPids)
    for (const last of [30_000, 400]) window.pids(last)
    window.ruleOut(process.pid)
    expect(window.pids(501)).toEqual(expect.arrayContaining([1, process.pid]))
    for (let waited = 0; waited < 240; waited += 20) {
      await clock.advance(20)
      expect(window.pids(502)).toContain(1)
    }
    await clock.advance(20)
    expect(window.pids(503)).toEqual([502, 503])
  })

  test('returns all pids if the reported last one is of another PID namespace', async () => {
    const clock = createFakeClock()
    const window = new PidWindow(500, clock, manyPids)
    window.verify(503, 503)
    expect(window.pids(503)).toEqual([501, 502, 503])
    window.verify(7, 503)
    await clock.advance(260)
    expect(window.pids(503)).toEqual(expect.arrayContaining([1, process.pid]))
  })

  test('returns all pids if the kernel does not report the last one', () => {
    expect(new PidWindow(null).pids(null)).toContain(process.pid)
  })
})
