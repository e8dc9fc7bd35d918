import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UsageError } from './command.ts'
import { exitWith } from './exit-with.ts'

let stderr = ''
beforeEach(() => {
  stderr = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    stderr += chunk
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
})

/** Returns what a failing command prints, and its exit code. */
async function fail(error: unknown): Promise<{ stderr: string; code: unknown }> {
  exitWith(Promise.reject(error))
  await vi.waitFor(() => expect(stderr).not.toBe(''))
  return { stderr, code: process.exitCode }
}

test('an unexpected error is printed as one line that mentions CURFEW_DEBUG', async () => {
  expect(await fail(new Error('ENOTDIR: not a directory\nsecond line'))).toEqual({
    stderr: 'curfew: ENOTDIR: not a directory (CURFEW_DEBUG=1 shows the stack)\n',
    code: 1,
  })
})

test('CURFEW_DEBUG=1 prints the stack', async () => {
  vi.stubEnv('CURFEW_DEBUG', '1')
  expect((await fail(new Error('ENOTDIR'))).stderr).toMatch(/^curfew: .*ENOTDIR.*\n +at /)
})

test('a usage error exits with 2', async () => {
  expect(await fail(new UsageError('curfew demo: unknown option'))).toEqual({
    stderr: 'curfew demo: unknown option\n',
    code: 2,
  })
})
