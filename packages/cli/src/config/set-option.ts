import type { ConfigProblem } from '@curfew/extensions'
import { commandLine } from '@curfew/extensions/internal'
import { UsageError } from '../command.ts'

/** `--set KEY=VALUE`, as often as wanted. */
export const setOption = { type: 'string', multiple: true } as const

/** What is wrong in a file is reported; what is wrong on the command line ends the command. */
export function refuseFlags(command: string, problems: readonly ConfigProblem[]): void {
  const wrong = problems.find(({ severity, file }) => severity === 'error' && file === commandLine)
  if (wrong !== undefined) throw new UsageError(`curfew ${command}: --set ${wrong.field}: ${wrong.message}`)
}
