import { type ConfigProblem, formatProblem } from '@curfew/extensions'
import { oneLine, terminalWidth, wrap } from './terminal.ts'

/** Prints problems to standard error, one per line; on a terminal, wrapped. */
export function reportProblems(problems: readonly ConfigProblem[]): void {
  const columns = terminalWidth(process.stderr)
  for (const problem of problems) {
    const line = problemLine(problem)
    const lines = columns === undefined ? [line] : wrap(line, columns - 2, columns)
    process.stderr.write(`${lines.join('\n  ')}\n`)
  }
}

/** One line without control characters, because files may be written by others. */
export function problemLine(problem: ConfigProblem): string {
  return `${problem.severity}: ${oneLine(formatProblem(problem))}`
}
