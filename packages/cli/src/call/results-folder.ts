import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where long results of `curfew call` go: a person is told the path when the command has ended, so the file has to be there
 * then. The runtime bounds what is in it.
 */
export function resultsFolder(env: Readonly<NodeJS.ProcessEnv> = process.env): string {
  const { XDG_STATE_HOME: xdg } = env
  const state = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state')
  return join(state, 'curfew', 'results')
}
