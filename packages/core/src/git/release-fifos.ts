import { closeSync, constants, openSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../clock/clock.ts'

/** Usually, git has ended by then. */
const stallMs = 500
const roundMs = 5
/** The names that git opens in a work tree without checking whether they are files. */
const openedByGit = /(^|\/)\.git(ignore|attributes|modules|\/.*)$/i

/**
 * Git waits forever when it opens a FIFO. If it takes long, each FIFO that it may have opened gets a writer that leaves at once, so git
 * reads an empty file.
 */
export function releaseFifos(workTree: string): { readonly stop: () => void } {
  let isStopped = false
  let timer = systemClock.setTimer(stallMs, () => void search())
  const search = async (): Promise<void> => {
    const startedAt = systemClock.now()
    const fifos = await findFifos(workTree, () => isStopped)
    // A search must not slow down git.
    const nextAt = systemClock.now() + 2 * stallMs + 4 * (systemClock.now() - startedAt)
    const release = (): void => {
      if (isStopped) return
      for (const path of fifos) openAndClose(path)
      const next = systemClock.now() > nextAt ? () => void search() : release
      timer = systemClock.setTimer(roundMs, next)
    }
    release()
  }
  return {
    stop() {
      isStopped = true
      systemClock.clearTimer(timer)
    },
  }
}

async function findFifos(root: string, isStopped: () => boolean): Promise<string[]> {
  const found: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined && !isStopped(); folder = folders.pop()) {
    // One that was removed, or must not be read, is not read by git either.
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFIFO() && openedByGit.test(path)) found.push(join(root, path))
    }
  }
  return found
}

const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** Fails if no reader waits. */
function openAndClose(fifo: string): void {
  try {
    closeSync(openSync(fifo, flags))
  } catch {}
}
