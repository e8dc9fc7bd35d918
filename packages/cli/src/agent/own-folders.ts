import { getCompileCacheDir } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { homeFolder } from '@curfew/extensions/internal'
import { controlFolders } from '@curfew/journal'
import { stateHome } from '../state-home.ts'

/**
 * Curfew's own folders. Through a control socket, a command could reach the calls of other processes, and Node runs what is in the cache
 * (see `bin/enable-compile-cache.cjs`).
 */
export function ownFolders(
  userFolder: string,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): readonly string[] {
  const { XDG_CACHE_HOME: xdg = '' } = env
  const cache = join(isAbsolute(xdg) ? xdg : join(homeFolder(env), '.cache'), 'curfew')
  return [userFolder, stateHome(env), cache, getCompileCacheDir() ?? cache, ...controlFolders(env)]
}
