import { lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasEnded } from './process-identity.ts'
import { runtimeMarker } from './runtime-marker.ts'

const prefix = 'curfew-'

/** Where this process keeps its temporary files. The watchdog is told of it before it is made. */
export const runtimeDirectory: string = join(realTmpdir(), prefix + runtimeMarker.value)

/** Whoever holds a file of this folder open is a command of ours. */
export const heldDirectory: string = join(runtimeDirectory, 'held')

let prepared = false

/** Makes both, for nobody but us, and returns where the files of commands go. Throws where that cannot be done. */
export function ensureHeldDirectory(): string {
  ensureRuntimeDirectory()
  return heldDirectory
}

export function ensureRuntimeDirectory(): string {
  if (!prepared) {
    prepared = true
    removeStale()
    process.once('exit', () => remove(runtimeDirectory))
  }
  // Temporary folders are cleaned up now and then.
  if (!isOurFolder(heldDirectory)) for (const folder of [runtimeDirectory, heldDirectory]) makeFolder(folder)
  return runtimeDirectory
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isOurFolder(path)) throw error
  }
}

/** Removes both if nothing is in them, and nobody has to when this process ends. */
export function releaseRuntimeDirectory(): void {
  try {
    rmdirSync(heldDirectory)
    rmdirSync(runtimeDirectory)
  } catch {
    // Commands use them, or there are none.
  }
}

/** What processes left behind that were killed along with their watchdog. */
function removeStale(): void {
  const parent = realTmpdir()
  for (const name of namesIn(parent)) {
    const owner = ownerIn(name)
    if (owner === null || hasEnded(owner) !== true) continue
    const path = join(parent, name)
    if (isOurFolder(path)) remove(path)
  }
}

/** The process that a folder or a cgroup is named after; `null` if it is none of ours. */
export function ownerIn(name: string): string | null {
  return /^curfew-(\d+-\d+-\d+)-\d+$/.exec(name)?.[1] ?? null
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Everybody may make what they like in a temporary folder. */
function isOurFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  // On Windows there are no owners to compare, and everybody has a temporary folder of their own.
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid())
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Somebody else removes it just now, or it is not ours to remove after all.
  }
}

/** As /proc shows it. */
function realTmpdir(): string {
  try {
    return realpathSync(tmpdir())
  } catch {
    return tmpdir()
  }
}
