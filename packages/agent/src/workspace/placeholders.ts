import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, hasEnded, processIdentity } from '@curfew/core/internal'

/** The number of commands of this process that use each one. */
const users = new Map<string, number>()

/** Their commands could replace what another program is about to open by a link, so ripgrep does not search them. */
export const sandboxedWorkspaces: WeakSet<object> = new WeakSet()

/** Ends a command in a sandbox, unless the path is outside of its workspace. */
type EndCommand = (path: string) => Promise<void> | null
export const runningCommands: Set<EndCommand> = new Set()

/**
 * Call it before changing a protected file. Its mount ends when it is replaced, so that a command could change it again, and a command
 * could keep a second name for a new file.
 */
export async function endCommands(path: string): Promise<void> {
  await Promise.all([...runningCommands].map((end) => end(path)))
}

/** True if there is only an empty folder, which keeps commands in a sandbox from creating something with this name. */
export function isPlaceholder(path: string): boolean {
  return users.has(path) && namesIn(path)?.length === 0
}

/** Makes room for what the user wants to be there. */
export function removePlaceholder(path: string): void {
  if (isPlaceholder(path)) removeIfEmpty(path)
}

/**
 * Empty folders as mount points for what does not exist. Git ignores empty folders. They are recorded in a folder, so that those of a
 * process that was killed are removed later, and that one process does not remove those of another.
 */
export class Placeholders {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.#othersAfterRemoval()
  }

  /** Creates those of the paths that do not exist. Returns a function to call when the command has ended. */
  hold(paths: readonly string[]): () => void {
    const others = this.#othersAfterRemoval()
    // Before they are created: they are not forgotten if the process is killed in between.
    this.#write([...users.keys(), ...paths.filter((path) => !existsSync(path))])
    const held = paths.filter(
      (path) => isCreated(path) || isPlaceholder(path) || (others.has(path) && namesIn(path)?.length === 0),
    )
    for (const path of held) users.set(path, (users.get(path) ?? 0) + 1)
    this.#write([...users.keys()])
    return () => this.#release(held)
  }

  #release(held: readonly string[]): void {
    const unused = held.filter((path) => {
      const left = users.get(path)! - 1
      if (left > 0) users.set(path, left)
      else users.delete(path)
      return left === 0
    })
    const others = this.#othersAfterRemoval()
    for (const path of unused) if (!others.has(path)) removeIfEmpty(path)
    this.#write([...users.keys()])
  }

  /** The placeholders of other processes that are running, after removing those of processes that have ended. */
  #othersAfterRemoval(): ReadonlySet<string> {
    const others = new Set<string>()
    const abandoned: { readonly file: string; readonly paths: readonly string[] }[] = []
    for (const name of namesIn(this.#folder) ?? []) {
      const identity = name.replace(/\.json$/, '')
      if (identity === processIdentity) continue
      const file = join(this.#folder, name)
      const paths = attempt(() => JSON.parse(readFileSync(file, 'utf8')) as string[], [])
      if (hasEnded(identity) === true) abandoned.push({ file, paths })
      else for (const path of paths) others.add(path)
    }
    for (const { file, paths } of abandoned) {
      for (const path of paths) if (!users.has(path) && !others.has(path)) removeIfEmpty(path)
      rmSync(file, { force: true })
    }
    return others
  }

  #write(paths: readonly string[]): void {
    const file = join(this.#folder, `${processIdentity}.json`)
    if (paths.length === 0) return rmSync(file, { force: true })
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(paths), { mode: 0o600 })
  }
}

function isCreated(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch {
    return false
  }
}

/** Leaves what the user has put there. */
function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // It was not created, is not empty, or is a file now.
  }
}

function namesIn(folder: string): readonly string[] | null {
  return attempt(() => readdirSync(folder), null)
}
