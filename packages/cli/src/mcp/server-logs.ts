import { join } from 'node:path'
import { LogFile } from '@curfew/journal'
import type { ServerLogEntry } from '@curfew/mcp'
import { type ServerConfig, serverKey } from '@curfew/mcp/config'
import { stateHome } from '../state-home.ts'

/** One line of a server's log. */
export interface ServerLogLine extends ServerLogEntry {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The gateway that wrote it: several may run the same server. */
  readonly gateway: number
}

/** With the file before it, which is kept as well, twice this much. */
const maxBytes = 1 << 20

export function serverLogFolder(): string {
  return join(stateHome(), 'log', 'mcp')
}

export function serverLogPath(server: Pick<ServerConfig, 'name' | 'root'>): string {
  return join(serverLogFolder(), `${serverKey(server)}.log`)
}

/** Writes what happens to servers, and what they print, to one file per server, so that it can be read after this process has ended. */
export class ServerLogs {
  readonly #warn: (message: string) => void
  readonly #files = new Map<string, LogFile>()

  constructor(warn: (message: string) => void) {
    this.#warn = warn
  }

  write(server: ServerConfig, { kind, text }: ServerLogEntry): void {
    const path = serverLogPath(server)
    const file = this.#files.get(path) ?? this.#open(path)
    const line: ServerLogLine = { at: Date.now(), gateway: process.pid, kind, text }
    file.push(`${JSON.stringify(line)}\n`)
  }

  /** Resolves when everything is written, or cannot be. */
  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.close()))
  }

  #open(path: string): LogFile {
    const file = new LogFile({ path, maxBytes, maxFiles: 1, warn: this.#warn })
    this.#files.set(path, file)
    return file
  }
}
