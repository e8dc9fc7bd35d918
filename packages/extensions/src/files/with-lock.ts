import { lstat, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded, processIdentity } from '@curfew/core/internal'

const maxWaitMs = 60_000
const retryMs = 20
/** For owners whose process cannot be checked, such as one on another machine. */
const abandonedMs = 600_000
/** The file system has no symbolic links, or we are not allowed to create them. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

const host = hostname().replace(/[^A-Za-z0-9.-]/g, '_')
let count = 0

/**
 * Runs a function while holding the lock of a file. Throws if the lock cannot be acquired within a minute.
 * A lock whose owner was killed is taken over immediately.
 */
export async function withLock<T>(
  path: string,
  run: () => Promise<T>,
  { waitMs = maxWaitMs }: { waitMs?: number } = {},
): Promise<T> {
  const lock = `${path}.lock`
  const owner = newOwner()
  for (const start = performance.now(); !(await tryLock(lock, owner)); ) {
    if (performance.now() - start > waitMs) throw await lockTimeout(lock, waitMs)
    await sleep(retryMs * (0.5 + Math.random()))
  }
  try {
    return await run()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Unique per acquired lock, and valid as part of a file name. */
function newOwner(): string {
  return `${processIdentity}@${host}@${++count}-${process.hrtime.bigint()}`
}

async function tryLock(lock: string, owner: string): Promise<boolean> {
  if (await createWith(lock, owner)) return true
  const holder = await readOwner(lock)
  if (holder !== null && (await isAbandoned(lock, holder))) await removeAbandoned(lock, holder, owner)
  return false
}

/**
 * Several processes may find the same abandoned lock. Checking and removing it are two steps, and another process may acquire the
 * lock in between. So only the process that creates a claim named after the dead owner may remove the lock; because owners are
 * unique, no other process can remove or replace the lock in the meantime.
 */
async function removeAbandoned(lock: string, holder: string, owner: string): Promise<void> {
  const claim = `${lock}.${holder}`
  if (await createWith(claim, owner)) {
    if ((await readOwner(lock)) === holder) await rm(lock, { force: true })
    return await rm(claim, { force: true })
  }
  // The process with the claim may have been killed, too.
  const claimant = await readOwner(claim)
  if (claimant !== null && (await isAbandoned(claim, claimant))) await removeAbandoned(claim, claimant, owner)
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

async function isAbandoned(path: string, owner: string): Promise<boolean> {
  const [identity = '', machine] = owner.split('@')
  const ended = machine === host ? hasEnded(identity) : null
  if (ended !== null) return ended
  const since = (await lstat(path).catch(() => null))?.mtimeMs
  return since !== undefined && Math.abs(Date.now() - since) > abandonedMs
}

async function lockTimeout(lock: string, waitMs: number): Promise<Error> {
  const pid = /^\d+/.exec((await readOwner(lock)) ?? '')?.[0]
  const holder = pid === undefined ? 'another process' : `process ${pid}`
  return new Error(
    `${lock}: ${holder} has held this lock for more than ${Math.round(waitMs / 1_000)} s; if it is not in use, delete the file`,
  )
}
