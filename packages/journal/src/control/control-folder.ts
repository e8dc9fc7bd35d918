import { lstat, rmdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { ensureFolder, messageOf } from '@curfew/core/internal'

export interface ControlFolder {
  readonly path: string
  /** Removes the folder if it is empty and not the user's own. */
  release(): Promise<void>
}

interface Candidate {
  readonly path: string
  readonly kind: 'runtime' | 'state' | 'temporary'
}

/** A socket whose path is longer cannot be created. Other systems than Linux have slightly less room. */
const maxPathBytes = process.platform === 'linux' ? 107 : 103

/**
 * The folder for the control sockets of this user, in which nobody else can create, find or replace one: below `XDG_RUNTIME_DIR`, the state
 * folder or the temporary folder. Throws if there is none.
 *
 * @param longestName of a socket in it
 */
export async function openControlFolder(
  stateFolder: string,
  longestName: string,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<ControlFolder> {
  const uid = process.getuid?.() ?? -1
  const reasons: string[] = []
  for (const candidate of listCandidates(stateFolder, env)) {
    const { path, kind } = candidate
    if (!(await isUsable(candidate, uid))) continue
    if (Buffer.byteLength(join(path, longestName)) > maxPathBytes) {
      reasons.push(`${path}: expected a path of at most ${maxPathBytes - longestName.length - 1} bytes`)
      continue
    }
    try {
      await ensureFolder(path)
    } catch (error) {
      // Such as a file system that cannot be written; another folder may do.
      reasons.push(messageOf(error))
      continue
    }
    await checkFolder(path, uid)
    return { path, release: () => (kind === 'temporary' ? rmdir(path).catch(() => {}) : Promise.resolve()) }
  }
  throw new Error(reasons.join('; '))
}

/** The folders outside of the state folder in which there may be control sockets; for a sandbox, which hides them. */
export function controlFolders(env: Readonly<NodeJS.ProcessEnv> = process.env): readonly string[] {
  return listCandidates('', env).flatMap(({ path, kind }) => (kind === 'state' ? [] : [path]))
}

function listCandidates(
  stateFolder: string,
  { XDG_RUNTIME_DIR: runtime }: Readonly<NodeJS.ProcessEnv>,
): Candidate[] {
  const candidates: Candidate[] = [
    { path: join(stateFolder, 'run'), kind: 'state' },
    { path: join(tmpdir(), `curfew-${process.getuid?.()}`), kind: 'temporary' },
  ]
  if (runtime === undefined || !isAbsolute(runtime)) return candidates
  return [{ path: join(runtime, 'curfew'), kind: 'runtime' }, ...candidates]
}

/** After `su`, `XDG_RUNTIME_DIR` may be the folder of another user. */
async function isUsable({ path, kind }: Candidate, uid: number): Promise<boolean> {
  if (kind !== 'runtime') return true
  const found = await stat(dirname(path)).catch(() => null)
  return found?.isDirectory() === true && found.uid === uid
}

/** Throws if another user could reach or replace what is in the folder. */
async function checkFolder(path: string, uid: number): Promise<void> {
  // Not `stat`: a symbolic link may be changed later.
  const found = await lstat(path)
  if (!found.isDirectory()) throw new Error(`${path}: expected a folder; remove it`)
  if (found.uid !== uid)
    throw new Error(
      `${path}: expected a folder of yours (user ${uid}), but it belongs to user ${found.uid}; remove it`,
    )
  if ((found.mode & 0o077) !== 0)
    throw new Error(
      `${path}: expected a folder that only you can access (mode 700), but its mode is ${octal(found.mode)}; run chmod 700 ${path}`,
    )
  const parent = await stat(dirname(path))
  const canBeReplaced = (parent.mode & 0o002) !== 0 && (parent.mode & 0o1000) === 0
  if (canBeReplaced || (parent.uid !== uid && parent.uid !== 0))
    throw new Error(
      `${dirname(path)}: expected a folder in which other users cannot replace yours, but it belongs to user ${parent.uid} and its mode is ${octal(parent.mode)}`,
    )
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8)
}
