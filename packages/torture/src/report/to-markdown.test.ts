import { expect, test } from 'vitest'
import type { Cell, SuiteReport } from '../suite/run-suite.ts'
import { toMarkdown } from './to-markdown.ts'

const report = (product: string, cells: readonly Cell[]): SuiteReport => ({
  product,
  version: '1.2.3',
  settings: 'recommended',
  suiteVersion: '0.1.0',
  machine: {
    system: 'Linux',
    kernel: '6.1',
    node: 'v24.0.0',
    cores: 2,
    memoryGb: 8,
    load: 0,
    cgroup2: true,
    root: false,
  },
  date: '2026-01-02T03:04:05.000Z',
  seconds: 1,
  cells,
})
const cell = (id: string, verdict: Cell['verdict'], reason = ''): Cell => ({
  id,
  verdict,
  reason,
  records: [],
})

test('no reports make no table', () => {
  expect(toMarkdown([])).toBe('')
})

test('a table has a column for each product, and only the groups that ran', () => {
  const first = report('one', [
    cell('time/never-returns', 'pass'),
    cell('time/late-error', 'fail', 'not settled'),
  ])
  const second = report('two', [
    cell('time/never-returns', 'flaky'),
    cell('time/late-error', 'n/a', 'no functions'),
  ])
  const text = toMarkdown([first, second])
  expect(text).toContain('- **one, recommended** 1.2.3: 1 passed, 1 failed, 0 not applicable')
  expect(text).toContain(
    'on Linux, kernel 6.1, Node v24.0.0, 2 cores, 8 GB, as an ordinary user, with cgroup v2, 2026-01-02',
  )
  expect(text).toContain('| case | who is hurt | one, recommended | two, recommended |')
  expect(text).toMatch(/\| `never-returns` \| .*\(gemini-cli#3375, .*\) \| pass \| flaky \|/)
  expect(text).toMatch(/\| `late-error` \| .* \| \*\*fail\*\* \| n\/a \|/)
  expect(text).not.toContain('## crash')
  expect(text).toContain('- n/a, no functions: `time/late-error`')
})

test('reasons cannot break the list or the table', () => {
  const text = toMarkdown([report('one', [cell('time/late-error', 'fail', 'got a|b\n<script>')])])
  expect(text).toContain('- `time/late-error`: got a\\|b &lt;script>')
})
