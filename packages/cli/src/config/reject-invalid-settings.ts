import type { ConfigProblem } from '@curfew/extensions'
import { commandLine } from '@curfew/extensions/internal'
import { UsageError } from '../command.ts'

/** An invalid setting in a file is only reported; an invalid `--set` is a usage error. */
export function rejectInvalidSettings(command: string, problems: readonly ConfigProblem[]): void {
  const invalid = problems.find(({ severity, file }) => severity === 'error' && file === commandLine)
  if (invalid !== undefined)
    throw new UsageError(`curfew ${command}: --set ${invalid.field}: ${invalid.message}`)
}
