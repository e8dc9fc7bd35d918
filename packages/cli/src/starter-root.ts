import { join } from 'node:path'
import { configRoots, setTrust } from '@curfew/extensions'

export interface StarterRoot {
  readonly path: string
  /** The folder already exists. */
  readonly exists: boolean
  /** Files written there are used: it is the user's, or a project's that is trusted or about to be created. */
  readonly usable: boolean
  /** Trusts a folder that is about to be created; call it before writing. */
  prepare(): Promise<void>
}

/** Where `curfew new` and `curfew init` write: the user's folder, or this project's, which may not exist yet. */
export function starterRoot(forUser: boolean): StarterRoot {
  const { user, project } = configRoots()
  if (forUser) return { path: user, exists: true, usable: true, prepare: async () => {} }
  if (project !== null)
    return { path: project.path, exists: true, usable: project.trusted, prepare: async () => {} }
  const path = join(process.cwd(), '.curfew')
  // Creating the folder implies trusting it.
  return { path, exists: false, usable: true, prepare: async () => void (await setTrust(user, path, true)) }
}
