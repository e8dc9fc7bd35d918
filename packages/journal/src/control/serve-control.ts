import { once } from 'node:events'
import { unlinkSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { ControlConnection } from './control-connection.ts'
import { type ControlFolder, openControlFolder } from './control-folder.ts'
import type { ControlMethods } from './control-methods.ts'
import { removeStaleSockets } from './remove-stale-sockets.ts'
import { socketName } from './socket-name.ts'

export interface ServeControlOptions {
  /** Used if there is no `XDG_RUNTIME_DIR`. */
  readonly stateFolder: string
  /** The name of the run, which the socket is named after. */
  readonly run: string
  readonly methods: ControlMethods
  /**
   * A client that neither sends nor reads anything for this long is disconnected, unless it waits for a response or an event.
   * @default 60_000
   */
  readonly idleMs?: number | undefined
  /** @default process.env */
  readonly env?: Readonly<NodeJS.ProcessEnv> | undefined
}

export interface ControlServer {
  /** The path of the socket. */
  readonly path: string
  /** Disconnects all clients and removes the socket. */
  close(): Promise<void>
}

/** Beyond this, new clients are disconnected. */
const maxConnections = 64
const maxAttempts = 5

/** Listens on a Unix socket that only this user can connect to. Keeps neither the process nor a client waiting for it. */
export async function serveControl(options: ServeControlOptions): Promise<ControlServer> {
  const { stateFolder, run, methods, idleMs = 60_000, env } = options
  const connections = new Set<ControlConnection>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new ControlConnection(socket, methods, idleMs)
    connections.add(connection)
    socket.on('close', () => connections.delete(connection))
  })
  server.maxConnections = maxConnections
  const { folder, path } = await listen(server, run, () =>
    openControlFolder(stateFolder, socketName(run, maxAttempts), env),
  )
  // Such as too many open files: the next client may have more luck.
  server.on('error', () => {})
  server.unref()
  const forget = removeAtExit(path)
  const closing = new AbortController()
  void removeStaleSockets(folder.path, closing.signal)
  return {
    path,
    async close() {
      closing.abort()
      forget()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const connection of connections) connection.close()
      await closed
      await folder.release()
    },
  }
}

interface Listening {
  readonly folder: ControlFolder
  readonly path: string
}

/** Tries again if another run has the same name, or if another process has removed the empty folder at that moment. */
async function listen(server: Server, run: string, open: () => Promise<ControlFolder>): Promise<Listening> {
  for (let attempt = 0; ; attempt++) {
    const folder = await open()
    const path = join(folder.path, socketName(run, attempt))
    try {
      await once(server.listen(path), 'listening')
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (attempt + 1 < maxAttempts && ['EADDRINUSE', 'ENOENT'].includes(code)) continue
      throw error
    }
    // The folder already keeps others out.
    await chmod(path, 0o600).catch((error: unknown) => {
      server.close()
      throw error
    })
    return { folder, path }
  }
}

/** The sockets that are removed when the process exits without closing them. */
const openSockets = new Set<string>()

/** One listener for all of them, because a process may have many. Returns a function for when it is closed. */
function removeAtExit(path: string): () => void {
  if (openSockets.size === 0) process.once('exit', removeSockets)
  openSockets.add(path)
  return () => {
    openSockets.delete(path)
    if (openSockets.size === 0) process.off('exit', removeSockets)
  }
}

function removeSockets(): void {
  for (const path of openSockets) {
    try {
      unlinkSync(path)
    } catch {
      // Someone has removed it.
    }
  }
}
