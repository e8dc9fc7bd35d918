import type { Findings } from '../report.ts'
import { hasPseudoTerminal } from './pseudo-terminal.ts'
import { measureTerminalCalls } from './terminal-calls.ts'
import { measureTerminalLoad } from './terminal-load.ts'
import { measureTerminalStart } from './terminal-start.ts'

/** The real `curfew` on a pseudo-terminal, with a model on the loopback interface. */
export async function measureTerminal(): Promise<Findings> {
  if (!hasPseudoTerminal())
    return { targets: [], information: [], notes: ['skipped: curfew on a terminal needs Linux and python3'] }
  const parts: readonly Findings[] = [
    await measureTerminalStart(),
    await measureTerminalLoad(),
    await measureTerminalCalls(),
  ]
  return {
    targets: parts.flatMap(({ targets }) => targets),
    information: parts.flatMap(({ information }) => information),
    notes: parts.flatMap(({ notes = [] }) => notes),
  }
}
