import type { OpenAgentOptions } from './open-agent.ts'
import type { PromptInput } from './prompt-run.ts'

/** The options of the command line that an agent is opened with. */
export function agentOptions({
  model,
  set,
  allow,
  'add-dir': addedFolders,
  mode,
}: PromptInput): Pick<OpenAgentOptions, 'cwd' | 'model' | 'set' | 'allow' | 'addedFolders' | 'mode'> {
  return { cwd: process.cwd(), model, set, allow, addedFolders, mode }
}
