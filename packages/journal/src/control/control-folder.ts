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
  readonly isTemporary: boolean
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
  for (const { path, isTemporary } of await listCandidates(stateFolder, uid, env)) {
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
    return { path, release: () => (isTemporary ? rmdir(path).catch(() => {}) : Promise.resolve()) }
  }
  throw new Error(reasons.join('; '))
}

async function listCandidates(
  stateFolder: string,
  uid: number,
  { XDG_RUNTIME_DIR: runtime }: Readonly<NodeJS.ProcessEnv>,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [
    { path: join(stateFolder, 'run'), isTemporary: false },
    { path: join(tmpdir(), `curfew-${uid}`), isTemporary: true },
  ]
  if (runtime === undefined || !isAbsolute(runtime)) return candidates
  // After `su`, it may be the folder of another user.
  const found = await stat(runtime).catch(() => null)
  if (found?.isDirectory() !== true || found.uid !== uid) return candidates
  return [{ path: join(runtime, 'curfew'), isTemporary: false }, ...candidates]
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
