import { type ConfigProblem, formatProblem } from '@curfew/core/adapter'
import { oneLine } from './terminal.ts'

/** On standard error, a line each. */
export function reportProblems(problems: readonly ConfigProblem[]): void {
  for (const problem of problems) process.stderr.write(`${problemLine(problem)}\n`)
}

/** Files are written by others: what they contain must not look like something else. */
export function problemLine(problem: ConfigProblem): string {
  return `${problem.severity}: ${oneLine(formatProblem(problem))}`
}
