import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where long results of `curfew call` are stored. The path is printed, so the files must outlive the command; the runtime
 * limits their number and size.
 */
export function resultsFolder(env: Readonly<NodeJS.ProcessEnv> = process.env): string {
  const { XDG_STATE_HOME: xdg } = env
  const state = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state')
  return join(state, 'curfew', 'results')
}
