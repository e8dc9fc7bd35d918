import { open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasEnded, processIdentity } from '../process/process-identity.ts'

let count = 0

/** Replaces a file atomically, even if the power fails. A symbolic link is kept. By default, only the owner can read the file. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const target = await realpath(path).catch(() => path)
  await removeLeftovers(target)
  const temporary = `${target}.${processIdentity}-${++count}.new`
  try {
    const handle = await open(temporary, 'w', mode)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Removes the files of processes that were killed while they wrote. */
async function removeLeftovers(target: string): Promise<void> {
  const prefix = `${basename(target)}.`
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    if (!name.startsWith(prefix)) continue
    const [, owner] = /^(\d+-\d+-\d+)-\d+\.new$/.exec(name.slice(prefix.length)) ?? []
    if (owner !== undefined && hasEnded(owner)) await rm(join(dirname(target), name), { force: true })
  }
}
