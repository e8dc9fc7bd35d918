import { lstat, readdir, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { isSocketOfThisMachine } from './socket-name.ts'

/** A socket that is being created cannot be connected to for a moment. */
const defaultMinAgeMs = 30_000
const maxSockets = 200
const maxWaitMs = 500

/**
 * Removes the sockets of processes that were killed. One that a process listens to is never removed, nor one of another machine or user, nor
 * anything that is not a socket of ours.
 */
export async function removeStaleSockets(
  folder: string,
  signal: AbortSignal,
  minAgeMs: number = defaultMinAgeMs,
): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter(isSocketOfThisMachine).slice(0, maxSockets)) {
    if (signal.aborted) return
    await removeIfStale(join(folder, name), minAgeMs).catch(() => {
      // Another process has removed it, or will.
    })
  }
}

async function removeIfStale(path: string, minAgeMs: number): Promise<void> {
  const before = await lstat(path)
  if (!before.isSocket() || before.uid !== process.getuid?.()) return
  // A clock that was set back makes sockets look younger than they are.
  if (Math.abs(Date.now() - before.ctimeMs) < minAgeMs) return
  if (!(await isRefused(path))) return
  const { ino, dev } = await lstat(path)
  // Unless the path has been used again meanwhile.
  if (ino === before.ino && dev === before.dev) await unlink(path)
}

/** Whether nobody listens. A process that is stopped or too busy to answer does. */
function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path).unref()
    const finish = (isRefused: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isRefused)
    }
    const timer = setTimeout(() => finish(false), maxWaitMs).unref()
    socket.on('connect', () => finish(false))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => finish(code === 'ECONNREFUSED'))
  })
}
