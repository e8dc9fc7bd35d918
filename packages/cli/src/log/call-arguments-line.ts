import { parseJson, previewParams } from '@curfew/core/internal'
import { oneLine } from '../terminal.ts'
import { shortArguments } from '../tui/calls/short-arguments.ts'

/** More is never shown in a line. */
const maxLength = 2_000

/** The arguments of a recorded call in one line: `src/a.ts depth=3`. JSON that was cut is shown as it is. */
export function callArgumentsLine(args: string): string {
  try {
    const { main, rest } = shortArguments(previewParams(parseJson(args.slice(0, 65_536))))
    return oneLine(`${main} ${rest}`)
  } catch {
    return oneLine(args.slice(0, maxLength))
  }
}
