import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'

/** What identifies the content of a file. */
export interface Fingerprint {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  /** Of the content; `null` if the file is too large. */
  readonly hash: string | null
}

export interface FileState {
  readonly fingerprint: Fingerprint
  /** The number of lines from the first one on that were read without a gap; `Infinity` if all were. */
  readonly linesRead: number
}

/** Beyond it, the file that was used least recently is forgotten, and has to be read again. */
const maxFiles = 10_000

/** Calls that were never approved leave theirs behind. */
const maxPreviews = 1_000

/** Which files were read or shown to a person, and how they were then. Shared by the file tools of an agent. */
export class FileStates {
  readonly #states = new Map<string, FileState>()
  /** What a person saw in the diff of a call, by the call's uid; `null` if the file did not exist. */
  readonly #previews = new Map<number, Fingerprint | null>()

  get(realPath: string): FileState | undefined {
    return this.#states.get(realPath)
  }

  /** `first` to `last` were read; `last` is `Infinity` if the end was. */
  addRead(realPath: string, fingerprint: Fingerprint, first: number, last: number): void {
    const before = this.#states.get(realPath)
    const seen = before !== undefined && isSameContent(before.fingerprint, fingerprint) ? before.linesRead : 0
    this.#set(realPath, { fingerprint, linesRead: first <= seen + 1 ? Math.max(seen, last) : seen })
  }

  /** After a change by the agent: what was known remains known. */
  update(realPath: string, fingerprint: Fingerprint, linesRead: number): void {
    this.#set(realPath, { fingerprint, linesRead })
  }

  forget(realPath: string): void {
    this.#states.delete(realPath)
  }

  addPreview(uid: number, fingerprint: Fingerprint | null): void {
    addNewest(this.#previews, uid, fingerprint, maxPreviews)
  }

  /** `undefined` if no diff was shown. */
  takePreview(uid: number): Fingerprint | null | undefined {
    const fingerprint = this.#previews.get(uid)
    this.#previews.delete(uid)
    return fingerprint
  }

  #set(realPath: string, state: FileState): void {
    addNewest(this.#states, realPath, state, maxFiles)
  }
}

function addNewest<K, V>(entries: Map<K, V>, key: K, value: V, maxEntries: number): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= maxEntries) return
  const [oldest] = entries.keys()
  entries.delete(oldest!)
}

export function fingerprintOf(stats: BigIntStats, content: Buffer | null): Fingerprint {
  const { dev, ino, size, mtimeNs } = stats
  return { dev, ino, size, mtimeNs, hash: content && createHash('sha256').update(content).digest('base64') }
}

/** By content if it is known: the time of a change is not exact, and a file may be replaced by an equal one. */
export function isSameContent(a: Fingerprint, b: Fingerprint): boolean {
  if (a.hash !== null && b.hash !== null) return a.hash === b.hash
  return isSameFile(a, b)
}

export function isSameFile(a: Omit<Fingerprint, 'hash'>, b: Omit<Fingerprint, 'hash'>): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs
}
