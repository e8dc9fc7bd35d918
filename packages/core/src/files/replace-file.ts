import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** A lock that is older was left by somebody who died. */
const staleLockMs = 10_000

/**
 * Writes a file: all of it or nothing, also if the power fails. A link stays a link. Unless `mode` says otherwise, only
 * its owner can read it.
 */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const written = `${target}.${process.pid}.new`
  const handle = await open(written, 'w', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(written, target)
}

/** Runs something with nobody else in between who locks the same file. */
export async function withLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  while (!(await takeLock(lock))) await sleep(20)
  try {
    return await run()
  } finally {
    await rm(lock, { force: true })
  }
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const since = (await stat(lock).catch(() => null))?.mtimeMs
  if (since !== undefined && Math.abs(Date.now() - since) > staleLockMs) await rm(lock, { force: true })
  return false
}
