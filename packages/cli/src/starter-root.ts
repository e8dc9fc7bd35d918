import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { configRoots, setTrust } from '@curfew/extensions'

export interface StarterRoot {
  readonly path: string
  /** The folder already exists. */
  readonly exists: boolean
  /** Files written there are used: it is the user's, or a project's that is trusted or about to be created. */
  readonly usable: boolean
  /** Creates and trusts the folder if it does not exist. Call it before writing; returns a function that undoes it. */
  prepare(): Promise<() => Promise<void>>
}

/** Where `curfew new` and `curfew init` write: the user's folder, or this project's, which may not exist yet. */
export function starterRoot(forUser: boolean): StarterRoot {
  const { user, project } = configRoots()
  if (forUser) return { path: user, exists: true, usable: true, prepare: async () => async () => {} }
  if (project !== null)
    return { path: project.path, exists: true, usable: project.trusted, prepare: async () => async () => {} }
  const path = join(process.cwd(), '.curfew')
  return { path, exists: false, usable: true, prepare: () => createTrusted(user, path) }
}

/** Only a folder that we have created is trusted: one that cannot be created could be created by someone else later. */
async function createTrusted(user: string, path: string): Promise<() => Promise<void>> {
  try {
    await mkdir(path)
  } catch (error) {
    // An import prepares the folder once for each of its sources.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return async () => {}
    throw new CurfewError('INVALID_OPTION', `${path}: cannot be created: ${messageOf(error)}`)
  }
  try {
    await setTrust(user, path, true)
  } catch (error) {
    await rmdir(path)
    throw error
  }
  // If another process has written there in the meantime, the folder stays.
  return async () => {
    const isRemoved = await rmdir(path).then(
      () => true,
      () => false,
    )
    if (isRemoved) await setTrust(user, path, false)
  }
}
