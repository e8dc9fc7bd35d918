import { lstat, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { hasEnded, processIdentity } from '../process/process-identity.ts'

/** The file system has no symbolic links, or we are not allowed to create them. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

const host = hostname().replace(/[^A-Za-z0-9.-]/g, '_')
let count = 0

export interface FileLock {
  release(): Promise<void>
}

/**
 * Acquires the lock of a file (`<path>.lock`); `null` if another owner holds it. A lock whose owner was killed is removed, and acquired
 * by the next attempt. `abandonedMs` is the age at which that also applies to an owner whose process cannot be checked, such as one on
 * another machine.
 */
export async function tryFileLock(path: string, abandonedMs: number): Promise<FileLock | null> {
  const lock = lockPath(path)
  const owner = newOwner()
  if (await createWith(lock, owner)) return { release: () => removeOwn(lock, owner) }
  const holder = await readOwner(lock)
  if (holder !== null && (await isAbandoned(lock, holder, abandonedMs)))
    await removeAbandoned(lock, holder, owner, abandonedMs)
  return null
}

/** The id of the process that holds the lock; `null` if unknown. */
export async function fileLockHolder(path: string): Promise<number | null> {
  const pid = /^\d+/.exec((await readOwner(lockPath(path))) ?? '')?.[0]
  return pid === undefined ? null : Number(pid)
}

function lockPath(path: string): string {
  return `${path}.lock`
}

/** Unique per acquired lock, and valid as part of a file name. */
function newOwner(): string {
  return `${processIdentity}@${host}@${++count}-${process.hrtime.bigint()}`
}

/** Others may have taken it over, if they could not check this process. */
async function removeOwn(lock: string, owner: string): Promise<void> {
  if ((await readOwner(lock)) === owner) await rm(lock, { force: true })
}

/**
 * Several processes may find the same abandoned lock. Checking and removing it are two steps, and another process may acquire the
 * lock in between. So only the process that creates a claim named after the dead owner may remove the lock; because owners are
 * unique, no other process can remove or replace the lock in the meantime.
 */
async function removeAbandoned(
  lock: string,
  holder: string,
  owner: string,
  abandonedMs: number,
): Promise<void> {
  const claim = `${lock}.${holder}`
  if (await createWith(claim, owner)) {
    if ((await readOwner(lock)) === holder) await rm(lock, { force: true })
    return await rm(claim, { force: true })
  }
  // The process with the claim may have been killed, too.
  const claimant = await readOwner(claim)
  if (claimant !== null && (await isAbandoned(claim, claimant, abandonedMs)))
    await removeAbandoned(claim, claimant, owner, abandonedMs)
}

/** Returns false if it exists. A symbolic link is created with its content in one step, so no process finds a lock without an owner. */
async function createWith(path: string, owner: string): Promise<boolean> {
  try {
    await symlink(owner, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // The message of `symlink` contains the owner, which says nothing to a person.
    if (!noLinks.has(code)) throw new Error(`the lock ${path} cannot be created (${code})`, { cause: error })
  }
  try {
    await writeFile(path, owner, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** `null` if the lock does not exist; `'unknown'` if it was not created by Curfew. */
async function readOwner(path: string): Promise<string | null> {
  const text = await readlink(path).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? null : readFile(path, 'utf8').catch(() => ''),
  )
  return text === null || /^[\w@.-]{1,150}$/.test(text) ? text : 'unknown'
}

async function isAbandoned(path: string, owner: string, abandonedMs: number): Promise<boolean> {
  const [identity = '', machine] = owner.split('@')
  const ended = machine === host ? hasEnded(identity) : null
  if (ended !== null) return ended
  const since = (await lstat(path).catch(() => null))?.mtimeMs
  return since !== undefined && Math.abs(Date.now() - since) > abandonedMs
}
