import type { Cell, SuiteReport } from '../suite/run-suite.ts'

const marks = { pass: 'pass ', fail: 'FAIL ', 'n/a': 'n/a  ', flaky: 'flaky' } as const

/** One line of a terminal. */
export function toLine({ id, verdict, reason }: Cell): string {
  return `${marks[verdict]}  ${id}${reason === '' ? '' : `\n         ${reason}`}`
}

export function countVerdicts(cells: readonly Cell[]): string {
  const count = (verdict: Cell['verdict']): number => cells.filter((cell) => cell.verdict === verdict).length
  const flaky = count('flaky')
  return `${count('pass')} passed, ${count('fail')} failed, ${count('n/a')} not applicable${flaky === 0 ? '' : `, ${flaky} flaky (not scored)`}`
}

export function toSummary({ product, version, settings, seconds, cells }: SuiteReport): string {
  return `${product} ${version}, ${settings} settings: ${countVerdicts(cells)} (${seconds} s)`
}
