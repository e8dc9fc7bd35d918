import { measureCheckpoints } from './agent-tools/checkpoints.ts'
import { measureSearch } from './agent-tools/search.ts'
import type { Findings } from './report.ts'

/** The tools of the agent. */
export async function measureAgentTools(): Promise<Findings> {
  const parts = [await measureSearch(), await measureCheckpoints()]
  return {
    targets: parts.flatMap(({ targets }) => targets),
    information: parts.flatMap(({ information }) => information),
    tables: parts.flatMap(({ tables = [] }) => tables),
    notes: parts.flatMap(({ notes = [] }) => notes),
  }
}
