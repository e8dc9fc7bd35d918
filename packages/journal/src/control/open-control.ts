import type { Runtime } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { addCallMethods, type ControlIdentity } from './add-call-methods.ts'
import { AttachedRuntimes, type CallIds } from './attached-runtimes.ts'
import { type ControlHandler, ControlMethods, type ControlStreamHandler } from './control-methods.ts'
import { type ControlServer, type ServeControlOptions, serveControl } from './serve-control.ts'

export interface ControlOptions extends ControlIdentity {
  /** Where Curfew keeps its state. */
  readonly stateFolder: string
  readonly ids: CallIds
  /** Called if there can be no control socket. */
  readonly warn: (message: string) => void
  readonly env?: ServeControlOptions['env']
  readonly idleMs?: ServeControlOptions['idleMs']
}

/** Lets other processes of this user list and cancel the calls of this one. */
export interface Control {
  /** The path of the socket; `null` if there is none. */
  readonly path: string | null
  /** Adds a method with one response. Returns a function that removes it. */
  handle(method: string, handler: ControlHandler): () => void
  /** Adds a method that sends events until the client disconnects. Returns a function that removes it. */
  handleStream(method: string, open: ControlStreamHandler): () => void
  /** Adds the calls of a runtime. Returns a function that removes them. */
  attach(runtime: Runtime): () => void
  close(): Promise<void>
}

/** Never rejects: without a socket, everything else works. */
export async function openControl(options: ControlOptions): Promise<Control> {
  const { ids, run, program, version, project } = options
  const methods = new ControlMethods()
  const runtimes = new AttachedRuntimes(ids)
  addCallMethods(methods, { run, program, version, project }, runtimes)
  const server = await start(options, methods)
  return {
    path: server?.path ?? null,
    handle: (method, handler) => methods.handle(method, handler),
    handleStream: (method, open) => methods.handleStream(method, open),
    attach: (runtime) => runtimes.add(runtime),
    close: async () => await server?.close(),
  }
}

async function start(
  { stateFolder, run, warn, env, idleMs }: ControlOptions,
  methods: ControlMethods,
): Promise<ControlServer | null> {
  // Its named pipes can be opened by other users.
  if (process.platform === 'win32') return null
  try {
    return await serveControl({ stateFolder, run, methods, env, idleMs })
  } catch (error) {
    warn(`curfew cancel cannot reach this process: no control socket can be created: ${messageOf(error)}`)
    return null
  }
}
