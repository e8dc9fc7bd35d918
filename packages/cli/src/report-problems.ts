import { type ConfigProblem, formatProblem } from '@curfew/extensions'
import { oneLine, terminalWidth, wrap } from './terminal.ts'

/** On standard error, a line each; folded where that is a terminal. */
export function reportProblems(problems: readonly ConfigProblem[]): void {
  const columns = terminalWidth(process.stderr)
  for (const problem of problems) {
    const line = problemLine(problem)
    const lines = columns === undefined ? [line] : wrap(line, columns - 2, columns)
    process.stderr.write(`${lines.join('\n  ')}\n`)
  }
}

/** Files are written by others: what they contain must not look like something else. */
export function problemLine(problem: ConfigProblem): string {
  return `${problem.severity}: ${oneLine(formatProblem(problem))}`
}
