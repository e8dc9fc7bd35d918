import { isAbsolute, join } from 'node:path'
import { homeFolder } from '@curfew/extensions/internal'

/** The folder where Curfew keeps what outlives a command but is not configuration: sessions and long results. */
export function stateHome(env: Readonly<NodeJS.ProcessEnv> = process.env): string {
  const { XDG_STATE_HOME: xdg } = env
  const state = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homeFolder(env), '.local', 'state')
  return join(state, 'curfew')
}
