import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { guardSockets } from '@curfew/core/internal'
import type * as undici from 'undici'
import { isProxied } from './is-proxied.ts'

type Undici = typeof undici
const require = createRequire(import.meta.url)

export interface Transport {
  dispatch(options: undici.Dispatcher.DispatchOptions, handler: undici.Dispatcher.DispatchHandler): void
  /** A dispatched request no longer waits for a connection: it was sent, or abandoned. */
  stopWaiting(origin: string): void
  /** Call it when the tool call has ended. */
  close(): void
}

/** Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0; the call's deadline is the only timeout. */
const connection = { rejectUnauthorized: true, timeout: 0 } as const
const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 30_000 } as const

let open: ((signal: AbortSignal) => Transport) | undefined

/** Connections are pooled and shared, except with a proxy, where every call has its own. */
export function transportFor(signal: AbortSignal): Transport {
  open ??= chooseTransport()
  return open(signal)
}

function chooseTransport(): (signal: AbortSignal) => Transport {
  guardSockets()
  // Loaded on first use, because it is slow to load.
  const undici = require('undici') as Undici
  if (isProxied()) return (signal) => proxiedTransport(undici, signal)
  const pooled = pooledTransport(undici)
  return () => pooled
}

/** Requests to one origin that wait for a connection, and connections that are being established. */
interface Pending {
  waiting: number
  readonly sockets: Set<Socket>
}

function pooledTransport({ Agent, buildConnector }: Undici): Transport {
  const pendingByOrigin = new Map<string, Pending>()
  const connect = buildConnector(connection)
  const agent = new Agent({
    ...limits,
    connect(options, callback) {
      const pending = pendingByOrigin.get(`${options.protocol}//${options.host ?? options.hostname}`)
      // It does return the socket, and undici has no other way to abort a connection that is being established.
      const socket: unknown = connect(options, (...result) => {
        if (socket instanceof Socket) pending?.sockets.delete(socket)
        callback(...result)
      })
      if (socket instanceof Socket) pending?.sockets.add(socket)
    },
  })
  return {
    dispatch(options, handler) {
      const origin = String(options.origin)
      const pending = pendingByOrigin.get(origin)
      if (pending === undefined) pendingByOrigin.set(origin, { waiting: 1, sockets: new Set() })
      else pending.waiting++
      agent.dispatch(options, handler)
    },
    stopWaiting(origin) {
      const pending = pendingByOrigin.get(origin)
      if (pending === undefined || --pending.waiting > 0) return
      pendingByOrigin.delete(origin)
      for (const socket of pending.sockets) socket.destroy(new Error('no request waits for this connection'))
    },
    close() {},
  }
}

/** Not shared, because a tunnel that is being established cannot be aborted otherwise. */
function proxiedTransport({ EnvHttpProxyAgent }: Undici, signal: AbortSignal): Transport {
  const tls = { ...connection, signal }
  const agent = new EnvHttpProxyAgent({
    ...limits,
    connect: tls,
    proxyTls: tls,
    requestTls: tls,
    // Plain http is requested from the proxy directly, because many proxies reject a tunnel to port 80.
    proxyTunnel: false,
  })
  return {
    dispatch: (options, handler) => void agent.dispatch(options, handler),
    stopWaiting() {},
    close: () => void agent.destroy(),
  }
}
