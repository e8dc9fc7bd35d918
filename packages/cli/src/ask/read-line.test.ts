import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { readLine } from './read-line.ts'

afterEach(() => void vi.restoreAllMocks())

test('an aborted signal closes the prompt', async () => {
  const stdin = new PassThrough()
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never)
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const call = new AbortController()
  const typed = readLine('[y/N] ', call.signal)
  stdin.write('y')
  call.abort()
  expect(await typed).toBeNull()
  expect(write).toHaveBeenLastCalledWith('\n')
  expect(stdin.isPaused()).toBe(true)
})

test('a line is returned, and the signal is no longer listened to', async () => {
  const stdin = new PassThrough()
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const call = new AbortController()
  const removed = vi.spyOn(call.signal, 'removeEventListener')
  const typed = readLine('> ', call.signal)
  stdin.write('main\n')
  expect(await typed).toBe('main')
  expect(removed).toHaveBeenCalledWith('abort', expect.any(Function))
})
