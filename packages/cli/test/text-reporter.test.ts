import { stripVTControlCharacters } from 'node:util'
import { createRuntime, defineTool } from '@curfew/core'
import { afterEach, expect, it, vi } from 'vitest'
import { TextReporter } from '../src/demo/text-reporter.ts'

afterEach(() => vi.restoreAllMocks())

function capture(): string[] {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written.push(stripVTControlCharacters(String(chunk)))
    return true
  })
  return written
}

it('shows a running call in a live line, then clears it', async () => {
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
  const reporter = new TextReporter({ width: 79, live: true })
  const written = capture()
  reporter.begin(runtime)
  const stop = reporter.running()
  await runtime.execute([{ id: '1', name: 'slow' }])
  stop()
  expect(written.at(-2)).toMatch(/^\r {2}\S slow +running +0\.\ds\/2\.0s +█+░+$/)
  expect(written.at(-1)).toBe('\r')
  await runtime.close()
})

it('prints the problems of a call and false claims', () => {
  const written = capture()
  const reporter = new TextReporter({ width: 79, live: false })
  reporter.call({
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
    summary: 'hello \x1b[31m'.repeat(20),
    problems: ['status: expected error, got success'],
  })
  reporter.claim({ text: 'the earth is flat', holds: false })
  expect(written.join('')).toBe(
    [
      `  ✗ echo           success   0.0s/1.0s  ${'hello '.repeat(7).slice(0, 38)}…`,
      '    status: expected error, got success',
      '  ✗ not true: the earth is flat',
      '',
    ].join('\n'),
  )
})
