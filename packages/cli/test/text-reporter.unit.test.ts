import { stripVTControlCharacters } from 'node:util'
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
