import { type FSWatcher, lstatSync, readlinkSync, statSync, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { attempt, messageOf } from '@curfew/core/internal'

/** An editor writes a file in several steps; listeners are called after a pause of this length. */
const pauseMs = 100
/** Files that change all the time do not delay the listener any longer than this. */
const maxPauseMs = 1_000
/** Symbolic links that are followed. */
const maxLinks = 40

export interface FileWatchOptions {
  /** The files, which need not exist. */
  readonly files: readonly string[]
  /** Called after one of them may have changed. */
  readonly onChange: () => void
  /** Called once if changes cannot be noticed. */
  readonly onUnavailable: (reason: string) => void
}

/**
 * Notices changes of files, also if they are replaced, created or deleted, or if a symbolic link or a folder on the way to them is.
 * Keeps no process alive.
 */
export class FileWatch {
  readonly #onChange: () => void
  readonly #onUnavailable: (reason: string) => void
  #files: readonly string[]
  /** By path and inode, because a folder may be replaced by another one. */
  #watchers = new Map<string, FSWatcher>()
  /** What is watched for in each folder. */
  #names = new Map<string, ReadonlySet<string>>()
  #timer: NodeJS.Timeout | null = null
  #firstEventAt = 0
  #isUnavailable = false
  #closed = false

  constructor({ files, onChange, onUnavailable }: FileWatchOptions) {
    this.#files = files
    this.#onChange = onChange
    this.#onUnavailable = onUnavailable
    this.#update()
  }

  /** Watches other files from now on. */
  setFiles(files: readonly string[]): void {
    this.#files = files
    this.#update()
  }

  /** Calls the listener after a pause, as if a file had changed. */
  trigger(): void {
    if (this.#closed) return
    const now = performance.now()
    if (this.#timer === null) this.#firstEventAt = now
    else clearTimeout(this.#timer)
    const waitMs = Math.min(pauseMs, Math.max(0, this.#firstEventAt + maxPauseMs - now))
    this.#timer = setTimeout(() => this.#onPause(), waitMs).unref()
  }

  close(): void {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #onPause(): void {
    this.#timer = null
    // A folder or a link may be a different one now.
    this.#update()
    this.#onChange()
  }

  #update(): void {
    if (this.#closed) return
    const names = new Map<string, Set<string>>()
    for (const file of this.#files) for (const step of stepsTo(file)) addStep(names, step)
    this.#names = names
    const before = this.#watchers
    this.#watchers = new Map()
    for (const folder of names.keys()) {
      const key = `${inodeOf(folder)} ${folder}`
      const watcher = before.get(key) ?? this.#watch(folder)
      before.delete(key)
      if (watcher !== null) this.#watchers.set(key, watcher)
    }
    for (const watcher of before.values()) watcher.close()
  }

  #watch(folder: string): FSWatcher | null {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || this.#names.get(folder)?.has(name)) this.trigger()
      })
      return watcher.on('error', (error) => this.#unavailable(error))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // It was removed at this moment; the folder above it reports that.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#unavailable(error)
      return null
    }
  }

  #unavailable(error: unknown): void {
    if (this.#isUnavailable || this.#closed) return
    this.#isUnavailable = true
    this.#onUnavailable(messageOf(error))
  }
}

/** An entry of a folder on the way to a file. */
interface Step {
  readonly folder: string
  readonly name: string
}

function addStep(names: Map<string, Set<string>>, { folder, name }: Step): void {
  const known = names.get(folder) ?? new Set()
  names.set(folder, known.add(name))
}

/**
 * What can change which file a path leads to: the file in its folder, the folder in the one above it, and the same for the target of a
 * symbolic link. Instead of a folder that does not exist, the nearest one above it counts.
 */
function stepsTo(file: string): Step[] {
  const steps: Step[] = []
  let path = resolve(file)
  for (let links = 0; links <= maxLinks; links++) {
    for (let entry = path; ; entry = dirname(entry)) {
      const folder = dirname(entry)
      if (folder === entry) break
      const exists = inodeOf(folder) !== null
      if (exists) steps.push({ folder, name: basename(entry) })
      if (exists && entry !== path) break
    }
    const target = linkOf(path)
    if (target === null) break
    path = target
  }
  return steps
}

function inodeOf(folder: string): string | null {
  try {
    const found = statSync(folder, { bigint: true })
    return found.isDirectory() ? `${found.dev} ${found.ino}` : null
  } catch {
    return null
  }
}

/** The target of a symbolic link; `null` for anything else. */
function linkOf(path: string): string | null {
  return attempt(
    () => (lstatSync(path).isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : null),
    null,
  )
}
