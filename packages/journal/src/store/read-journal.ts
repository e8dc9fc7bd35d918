import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, messageOf } from '@curfew/core/internal'
import type { JournalCall } from './journal-call.ts'
import { journalFolder, journalPath } from './journal-path.ts'
import { type FoundCall, type MissingCall, queryCall } from './query-call.ts'
import { queryCalls } from './query-calls.ts'
import type { JournalQuery } from './query-ids.ts'
import { queryTools } from './query-names.ts'
import { mergeToolTimes, queryToolTimes, type ToolTimes } from './query-tool-times.ts'
import { JournalChanges } from './read-changes.ts'
import { withJournalFile } from './read-database.ts'

export interface ReadJournalOptions {
  /** Where Curfew keeps its state, such as `~/.local/state/curfew`. */
  readonly stateFolder: string
  /** The folder of the project; `null` for all projects. */
  readonly project: string | null
  /** With all projects, a file that cannot be read is reported once and left out. */
  readonly warn?: ((message: string) => void) | undefined
}

/** Reads what was recorded, while other processes may be writing. No file stays open. */
export interface JournalReader {
  /** The files that exist, of one project or of all. */
  paths(): readonly string[]
  /**
   * The matching calls, newest first: those of one project in the order in which they were recorded, those of several by their time.
   * Throws a readable error if the file of the project cannot be read.
   */
  calls(query?: JournalQuery): Generator<JournalCall, void>
  /** The call with this id, in any project; otherwise a hint for people. */
  call(id: string): FoundCall | MissingCall
  /** The names of all tools that were called. */
  tools(): readonly string[]
  /** How the calls of each tool ended, and how long they took. */
  toolTimes(query?: Pick<JournalQuery, 'tools' | 'since'>): ToolTimes[]
  /** The calls as they end. */
  follow(query?: JournalQuery): JournalFollower
}

export interface JournalFollower {
  /** The newest calls, oldest first, from which `next` continues. */
  first(limit: number): JournalCall[]
  /** The calls that have ended since the last time. Cheap if there are none. */
  next(): JournalCall[]
}

export function readJournal({ stateFolder, project, warn = () => {} }: ReadJournalOptions): JournalReader {
  const paths = (): readonly string[] =>
    project === null ? journalFiles(stateFolder) : [journalPath(stateFolder, project)]
  const reported = new Set<string>()
  /** Of one project, errors are the caller's. */
  const attempt = <T>(read: () => T, otherwise: T): T => {
    if (project !== null) return read()
    try {
      return read()
    } catch (error) {
      const message = messageOf(error)
      if (!reported.has(message)) warn(message)
      reported.add(message)
      return otherwise
    }
  }
  return {
    paths,
    *calls(query = {}) {
      const files = paths().map((path) => queryCalls(path, query))
      const next = (calls: Generator<JournalCall, void>): Head[] => {
        const { done, value } = attempt(() => calls.next(), { done: true, value: undefined })
        return done ? [] : [{ calls, call: value as JournalCall }]
      }
      let heads = files.flatMap(next)
      while (heads.length > 0) {
        const newest = heads.reduce((a, b) => (b.call.createdAt > a.call.createdAt ? b : a))
        yield newest.call
        heads = heads.flatMap((head) => (head === newest ? next(head.calls) : [head]))
      }
    },
    call(id) {
      const own = paths()
      const others = journalFiles(stateFolder).filter((path) => !own.includes(path))
      const found = queryCall(own, id)
      if ('call' in found || others.length === 0) return found
      // Files of other projects that cannot be read do not matter here.
      const readable = others.filter((path) => isReadable(path))
      const elsewhere = queryCall(readable, id)
      return 'call' in elsewhere || found.hint === '' ? elsewhere : found
    },
    toolTimes: (query = {}) =>
      mergeToolTimes(
        paths().map((path) =>
          attempt(() => withJournalFile(path, (journal) => queryToolTimes(journal, query)) ?? [], []),
        ),
      ),
    follow(query = {}) {
      const files = new Map<string, JournalChanges>()
      const changesOf = (path: string): JournalChanges => {
        const changes = files.get(path) ?? new JournalChanges(path, query)
        files.set(path, changes)
        return changes
      }
      const collect = (read: (changes: JournalChanges) => JournalCall[]): JournalCall[] => {
        const all = paths()
        return byTime(
          all.flatMap((path) => attempt(() => read(changesOf(path)), [])),
          all.length,
        )
      }
      return {
        first(limit) {
          const calls = collect((changes) => changes.first(limit))
          return calls.slice(Math.max(0, calls.length - limit))
        },
        next: () => collect((changes) => changes.next()),
      }
    },
    tools() {
      const names = paths().flatMap((path) => attempt(() => withJournalFile(path, queryTools) ?? [], []))
      return [...new Set(names)].sort()
    },
  }
}

function byTime(calls: JournalCall[], projects: number): JournalCall[] {
  return projects === 1 ? calls : calls.sort((a, b) => a.createdAt - b.createdAt)
}

function isReadable(path: string): boolean {
  try {
    withJournalFile(path, () => null)
    return true
  } catch {
    return false
  }
}

interface Head {
  readonly calls: Generator<JournalCall, void>
  readonly call: JournalCall
}

/** The files of all projects. */
export function journalFiles(stateFolder: string): string[] {
  const folder = journalFolder(stateFolder)
  return attempt(
    () =>
      readdirSync(folder)
        .filter((name) => /^[0-9a-f]{16}\.db$/.test(name))
        .sort()
        .map((name) => join(folder, name)),
    [],
  )
}
