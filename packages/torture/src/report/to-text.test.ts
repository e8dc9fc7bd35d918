import { expect, test } from 'vitest'
import type { Cell } from '../suite/run-suite.ts'
import { countVerdicts, toLine } from './to-text.ts'

const cell = (verdict: Cell['verdict'], reason = ''): Cell => ({
  id: 'time/never-returns',
  verdict,
  reason,
  records: [],
})

test('a line has the verdict and the case, and a second one the reason', () => {
  expect(toLine(cell('pass'))).toBe('pass   time/never-returns')
  expect(toLine(cell('fail', 'not settled'))).toBe('FAIL   time/never-returns\n         not settled')
})

test('flaky cases are counted only if there are any', () => {
  const cells = [cell('pass'), cell('pass'), cell('fail'), cell('n/a')]
  expect(countVerdicts(cells)).toBe('2 passed, 1 failed, 1 not applicable')
  expect(countVerdicts([...cells, cell('flaky')])).toBe(
    '2 passed, 1 failed, 1 not applicable, 1 flaky (not scored)',
  )
})
