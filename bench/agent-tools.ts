import { measureCheckpoints } from './agent-tools/checkpoints.ts'
import type { Findings } from './report.ts'

/** The tools of the agent. */
export async function measureAgentTools(): Promise<Findings> {
  return await measureCheckpoints()
}
