import type { JSONRPCNotification } from '@modelcontextprotocol/client'
import type { ServerStatus } from './lifecycle/server-status.ts'

/** Something that happened to a server (`event`), or that it printed (`stderr`) or logged through the protocol (`log`). */
export interface ServerLogEntry {
  readonly kind: 'event' | 'stderr' | 'log'
  /** Without the server's secrets. */
  readonly text: string
}

const maxLength = 4_000

/** Collects the log of one server. */
export class ServerLog {
  readonly #server: string
  readonly #record: (entry: ServerLogEntry) => void
  #lastEvent = ''
  #lastState: ServerStatus['state'] = 'stopped'

  constructor(server: string, record: (entry: ServerLogEntry) => void) {
    this.#server = server
    this.#record = record
  }

  onStatus({ state, pid, lastError }: ServerStatus): void {
    const before = this.#lastState
    this.#lastState = state
    // Nothing was running.
    if (state === 'stopped' && (before === 'stopped' || before === 'failed')) return
    if (state === 'running') this.onEvent(pid === null ? 'connected' : `started, pid ${pid}`)
    else this.onEvent(state === 'failed' ? (lastError?.message ?? state) : state)
  }

  /** A message about the server. Failures are both a state and a message, and recorded once. */
  onEvent(message: string): void {
    const text = withoutServer(message, this.#server)
    if (text !== this.#lastEvent) this.#add('event', text)
    this.#lastEvent = text
  }

  onStderr(line: string): void {
    this.#add('stderr', line)
  }

  onNotification({ method, params = {} }: JSONRPCNotification): void {
    if (method !== 'notifications/message') return
    const { level, logger, data } = params
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
    this.#add('log', `${String(level)}${typeof logger === 'string' ? ` ${logger}` : ''}: ${text}`)
  }

  #add(kind: ServerLogEntry['kind'], text: string): void {
    this.#record({ kind, text: text.length > maxLength ? `${text.slice(0, maxLength)}…` : text })
  }
}

/** Every line is about this server. */
function withoutServer(message: string, server: string): string {
  const prefix = `the MCP server ${server}`
  return message.startsWith(prefix) ? message.slice(prefix.length).replace(/^:? /, '') : message
}
