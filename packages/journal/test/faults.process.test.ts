import { expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'
import { callOnFaultyDisk, mountProblem } from './support/call-on-faulty-disk.ts'

test.runIf(canTest(mountProblem()))(
  'a disk that is full for long: memory is bounded, and calls that are not recorded are counted',
  async () => {
    const { warnings, made, recorded, results } = await callOnFaultyDisk('full', '160', '120000')
    expect(results).toEqual(['success'])
    expect(warnings).toHaveLength(1)
    expect(recorded!.integrity).toBe('ok')
    expect(recorded!.calls + recorded!.dropped).toBe(made)
    expect(recorded!.dropped).toBeGreaterThan(10_000)
    expect(recorded!.calls).toBeGreaterThan(50_000)
  },
)
