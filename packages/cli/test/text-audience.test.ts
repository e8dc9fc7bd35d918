import { stripVTControlCharacters } from 'node:util'
import { createRuntime, defineTool } from '@curfew/core'
import { afterEach, expect, it, vi } from 'vitest'
import { TextAudience } from '../src/demo/text-audience.ts'

afterEach(() => vi.restoreAllMocks())

function capture(): string[] {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written.push(stripVTControlCharacters(String(chunk)))
    return true
  })
  return written
}

it('shows in a line of its own what is running, and takes the line away', async () => {
  const runtime = createRuntime({ log: () => {} })
  runtime.register(
    defineTool({
      name: 'slow',
      description: 'Take a while.',
      timeout: '2s',
      readOnly: true,
      execute: () => new Promise((resolve) => setTimeout(resolve, 500, 'done')),
    }),
  )
  const audience = new TextAudience({ width: 79, live: true })
  const written = capture()
  audience.begin(runtime)
  const over = audience.running()
  await runtime.execute([{ id: '1', name: 'slow' }])
  over()
  expect(written.at(-2)).toMatch(/^\r {2}\S slow +executing +0\.\ds\/2\.0s +█+░+$/)
  expect(written.at(-1)).toBe('\r')
  await runtime.close()
})

it('says what is wrong', () => {
  const written = capture()
  const audience = new TextAudience({ width: 79, live: false })
  audience.call({
    label: 'echo',
    result: {
      id: '1',
      name: 'echo',
      status: 'success',
      value: 'hello',
      content: 'hello',
      output: '',
      durationMs: 10,
      timeoutMs: 1_000,
      timeoutSource: 'tool',
      notices: [],
    },
    elapsedMs: 10,
    words: 'hello \x1b[31m'.repeat(20),
    problems: ['state should be error, but is success'],
  })
  audience.claim({ text: 'the earth is flat', holds: false })
  expect(written.join('')).toBe(
    [
      `  ✗ echo           success   0.0s/1.0s  ${'hello '.repeat(7).slice(0, 38)}…`,
      '    state should be error, but is success',
      '  ✗ not true: the earth is flat',
      '',
    ].join('\n'),
  )
})
