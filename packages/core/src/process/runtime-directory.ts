import { lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listNames } from './proc-table.ts'
import { hasEnded } from './process-identity.ts'
import { runtimeId } from './runtime-marker.ts'

const prefix = 'curfew-'

/** Where this process keeps its temporary files. The watchdog gets the path before the folder is created. */
export const runtimeDirectory: string = join(realTmpdir(), prefix + runtimeId)

/** A process that has a file of this folder open belongs to a command of ours. */
export const commandDirectory: string = join(runtimeDirectory, 'commands')

let prepared = false

/** Creates both folders, accessible only to us. Throws if that fails. */
export function ensureCommandDirectory(): string {
  ensureRuntimeDirectory()
  return commandDirectory
}

export function ensureRuntimeDirectory(): string {
  if (!prepared) {
    prepared = true
    removeStale()
    // Before the watchdog is ended: if this process is killed meanwhile, the watchdog removes the rest.
    process.prependOnceListener('exit', () => remove(runtimeDirectory))
  }
  // The system may clean up temporary folders at any time.
  if (!isOurFolder(commandDirectory))
    for (const folder of [runtimeDirectory, commandDirectory]) makeFolder(folder)
  return runtimeDirectory
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isOurFolder(path)) throw error
  }
}

/** Removes both folders if they are empty. */
export function releaseRuntimeDirectory(): void {
  // Separately: the first may be gone while another runtime still uses the second.
  for (const folder of [commandDirectory, runtimeDirectory])
    try {
      rmdirSync(folder)
    } catch {
      // In use, or never created.
    }
}

/** Removes the folders of processes that were killed together with their watchdog. */
function removeStale(): void {
  const parent = realTmpdir()
  for (const name of listNames(parent)) {
    const owner = ownerOf(name)
    if (owner === null || hasEnded(owner) !== true) continue
    const path = join(parent, name)
    if (isOurFolder(path)) remove(path)
  }
}

/** The identity of the process that a folder or cgroup is named after; `null` if it is not one of Curfew's. */
export function ownerOf(name: string): string | null {
  return /^curfew-(\d+-\d+-\d+)-\d+$/.exec(name)?.[1] ?? null
}

/** Any user may create files in the temporary folder. */
function isOurFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  // On Windows there is no uid, and each user has a separate temporary folder.
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid())
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Another process is removing it, or we lack permission.
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
