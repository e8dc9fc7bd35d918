import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { readMasked } from './read-masked.ts'

afterEach(() => void vi.restoreAllMocks())

test('the terminal does not echo input once the prompt appears', async () => {
  let echoes = true
  const setRawMode = (raw: boolean): void => {
    echoes = !raw
  }
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode })
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never)
  const shown: [text: string, echoes: boolean][] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    shown.push([String(text), echoes])
    if (text === 'KEY: ') stdin.write('right-key\r')
    return true
  })
  expect(await readMasked('KEY: ')).toBe('right-key')
  expect(shown).toEqual([
    ['KEY: ', false],
    ['\n', true],
  ])
})

test('an aborted signal closes the prompt', async () => {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => void raw.push(on),
  })
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never)
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const call = new AbortController()
  const typed = readMasked('KEY: ', call.signal)
  stdin.write('half')
  call.abort()
  expect(await typed).toBeNull()
  expect(raw).toEqual([true, false])
  expect(write).toHaveBeenLastCalledWith('\n')
  expect([stdin.isPaused(), stdin.listenerCount('data')]).toEqual([true, 0])
})
