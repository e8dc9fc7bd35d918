import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The folder where Curfew keeps what outlives a command but is not configuration: sessions and long results. */
export function stateHome(env: Readonly<NodeJS.ProcessEnv> = process.env): string {
  const { XDG_STATE_HOME: xdg } = env
  const state = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state')
  return join(state, 'curfew')
}
