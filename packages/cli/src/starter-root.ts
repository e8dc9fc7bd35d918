import { join } from 'node:path'
import { configRoots, setTrust } from '@curfew/extensions'

export interface StarterRoot {
  readonly path: string
  /** It is there already. */
  readonly exists: boolean
  /** What is written there counts: it is the user's, or a project's that is trusted or about to be made. */
  readonly usable: boolean
  /** Call it before anything is written: what cannot be trusted is not made. */
  prepare(): Promise<void>
}

/** Where `curfew new` and `curfew init` write: the user's folder, or this project's, which may not be there yet. */
export function starterRoot(forUser: boolean): StarterRoot {
  const { user, project } = configRoots()
  if (forUser) return { path: user, exists: true, usable: true, prepare: async () => {} }
  if (project !== null)
    return { path: project.path, exists: true, usable: project.trusted, prepare: async () => {} }
  const path = join(process.cwd(), '.curfew')
  // Who makes a project's folder need not be asked whether to trust it.
  return { path, exists: false, usable: true, prepare: async () => void (await setTrust(user, path, true)) }
}
