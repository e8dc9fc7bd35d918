import { type ApprovedContent, isApprovedSince } from '@curfew/extensions/internal'
import { type FileEntry, type LoadedServers, mergeServerFiles, type ServerFile } from './load-servers.ts'
import { tighten } from './loosened-settings.ts'
import type { ServerConfig } from './server-config.ts'

/** A change in a project's file that is not used until a person approves it. */
export interface PendingChange {
  readonly server: string
  readonly file: string
  /** The hash of the entry. */
  readonly hash: string
  /** The keys that are held back; `null` if the server is new. */
  readonly keys: readonly string[] | null
}

export interface ReloadedServers extends LoadedServers {
  readonly pending: readonly PendingChange[]
}

/**
 * Decides which servers are used after their files have changed. The user's file is used as it is. What a project's file says is used as
 * far as it starts nothing new and allows nothing more than what was in effect at the start, or was approved since: a model that can
 * write to the project could otherwise start any command.
 */
export class ServerReload {
  /** The last usable content of each file. */
  readonly #usable = new Map<string, ServerFile>()
  /** The definitions in the project's file that may be used, by name. */
  readonly #approved = new Map<string, ServerConfig>()
  /** The approvals that existed at the start, which are not about a change since then. */
  readonly #old: ApprovedContent['servers']

  /** `files`: what is in effect; `approved`: what had been approved before they were read. */
  constructor(files: readonly ServerFile[], approved: ApprovedContent) {
    this.#old = approved.servers
    for (const file of files) {
      this.#usable.set(file.file, file)
      if (!file.ofProject) continue
      for (const [name, { server }] of file.entries) if (isServer(server)) this.#approved.set(name, server)
    }
  }

  /** The servers to use, given what the files contain and what is approved now. */
  next(files: readonly ServerFile[], approved: ApprovedContent): ReloadedServers {
    const pending: PendingChange[] = []
    const allowed = files.map((read) => {
      const file = this.#keepUsable(read)
      return file.ofProject ? this.#restrict(file, approved, pending) : file
    })
    return { ...mergeServerFiles(allowed), pending }
  }

  /** A file that cannot be read, or an entry that is invalid, does not end what worked before. */
  #keepUsable(file: ServerFile): ServerFile {
    const before = this.#usable.get(file.file)
    if (file.status === 'broken') return { ...file, entries: before?.entries ?? file.entries }
    const entries = [...file.entries].map(([name, entry]): [string, FileEntry] => [
      name,
      entry.server === null ? (before?.entries.get(name) ?? entry) : entry,
    ])
    const usable = { ...file, entries: new Map(entries) }
    this.#usable.set(file.file, usable)
    return usable
  }

  #restrict(file: ServerFile, approved: ApprovedContent, pending: PendingChange[]): ServerFile {
    const entries = new Map<string, FileEntry>()
    for (const [name, entry] of file.entries) {
      const { server, hash } = entry
      if (!isServer(server)) {
        entries.set(name, entry)
        continue
      }
      if (isApprovedSince(this.#old.get(name), approved.servers.get(name), hash))
        this.#approved.set(name, server)
      const before = this.#approved.get(name)
      const change = { server: name, file: file.file, hash }
      if (before === undefined) {
        // As if it were not there: the user's server with this name is still used.
        pending.push({ ...change, keys: null })
        continue
      }
      const tightened = tighten(before, server)
      entries.set(name, { ...entry, server: tightened.server })
      if (tightened.loosened.length > 0) pending.push({ ...change, keys: tightened.loosened })
    }
    return { ...file, entries }
  }
}

function isServer(server: FileEntry['server']): server is ServerConfig {
  return typeof server === 'object' && server !== null
}
