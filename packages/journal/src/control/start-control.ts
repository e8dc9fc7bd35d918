import { setTimeout as delay } from 'node:timers/promises'
import type { Runtime } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { addCallMethods } from './add-call-methods.ts'
import { AttachedRuntimes, type CallIds } from './attached-runtimes.ts'
import { type ControlHandler, ControlMethods, type ControlStreamHandler } from './control-methods.ts'
import { type ControlServer, type ServeControlOptions, serveControl } from './serve-control.ts'

export interface ControlOptions {
  /** Where Curfew keeps its state. */
  readonly stateFolder: string
  /** The name of the run, which may change. */
  readonly run: () => string
  readonly program: string
  readonly version: string
  readonly project: string
  readonly ids: CallIds
  /** Called if there can be no control socket. */
  readonly warn: (message: string) => void
  /** The socket is created after this time, and not at all if it is closed earlier. */
  readonly delayMs?: number | undefined
  readonly env?: ServeControlOptions['env']
  readonly idleMs?: ServeControlOptions['idleMs']
}

/** What other processes of this user can request from this one. */
export interface Control {
  /** Adds a method with one response. Returns a function that removes it. */
  handle(method: string, handler: ControlHandler): () => void
  /** Adds a method that sends events until the client disconnects. Returns a function that removes it. */
  handleStream(method: string, open: ControlStreamHandler): () => void
  /** Resolves to the path of the socket, or to `null` if there can be none. */
  opened(): Promise<string | null>
}

export interface StartedControl extends Control {
  /** Adds the calls of a runtime. Returns a function that removes them. */
  attach(runtime: Runtime): () => void
  /** Disconnects all clients and removes the socket. */
  close(): Promise<void>
}

/** Lets other processes of this user list and cancel the calls of this one. Without a socket, everything else works. */
export function startControl(options: ControlOptions): StartedControl {
  const { ids, run, program, version, project, warn } = options
  const methods = new ControlMethods()
  const runtimes = new AttachedRuntimes(ids)
  addCallMethods(methods, () => ({ run: run(), program, version, project }), runtimes)
  const closing = new AbortController()
  const server = serve(options, methods, closing.signal).catch((error: unknown) => {
    warn(`no control socket can be created, so curfew cancel cannot reach this process: ${messageOf(error)}`)
    return null
  })
  return {
    handle: (method, handler) => methods.handle(method, handler),
    handleStream: (method, open) => methods.handleStream(method, open),
    opened: async () => (await server)?.path ?? null,
    attach: (runtime) => runtimes.add(runtime),
    async close() {
      closing.abort()
      await (await server)?.close()
    },
  }
}

async function serve(
  { stateFolder, run, delayMs, env, idleMs }: ControlOptions,
  methods: ControlMethods,
  closing: AbortSignal,
): Promise<ControlServer | null> {
  // Its named pipes can be opened by other users.
  if (process.platform === 'win32') return null
  if (delayMs !== undefined) await delay(delayMs, undefined, { ref: false, signal: closing }).catch(() => {})
  if (closing.aborted) return null
  return await serveControl({ stateFolder, run: run(), methods, env, idleMs })
}
