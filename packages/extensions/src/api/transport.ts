import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import type * as undici from 'undici'

type Undici = typeof undici
const require = createRequire(import.meta.url)

/** Where requests go out. */
export interface Transport {
  dispatch(options: undici.Dispatcher.DispatchOptions, handler: undici.Dispatcher.DispatchHandler): void
  /** A request that was dispatched waits for a connection no longer: it is on its way, or was given up. */
  leave(origin: string): void
  /** The call has ended. */
  close(): void
}

/** Certificates are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says; the call's deadline is the only limit. */
const connection = { rejectUnauthorized: true, timeout: 0 } as const
const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 30_000 } as const
const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const

let open: ((signal: AbortSignal) => Transport) | undefined

/** Connections are kept and shared; where the environment names a proxy, every call has its own. */
export function transportFor(signal: AbortSignal): Transport {
  open ??= chooseTransport()
  return open(signal)
}

function chooseTransport(): (signal: AbortSignal) => Transport {
  // It takes its time to load, so only those who call an API pay for it.
  const undici = require('undici') as Undici
  if (proxyVariables.some((name) => process.env[name])) return (signal) => proxiedTransport(undici, signal)
  const pooled = pooledTransport(undici)
  return () => pooled
}

/** The requests to one origin that wait for a connection, and the connections that are being made. */
interface Line {
  waiting: number
  readonly sockets: Set<Socket>
}

function pooledTransport({ Agent, buildConnector }: Undici): Transport {
  const lines = new Map<string, Line>()
  const connect = buildConnector(connection)
  const agent = new Agent({
    ...limits,
    connect(options, callback) {
      const line = lines.get(`${options.protocol}//${options.host ?? options.hostname}`)
      // It does return the socket, and undici has no other way to give up a connection that is still being made.
      const socket: unknown = connect(options, (...result) => {
        if (socket instanceof Socket) line?.sockets.delete(socket)
        callback(...result)
      })
      if (socket instanceof Socket) line?.sockets.add(socket)
    },
  })
  return {
    dispatch(options, handler) {
      const origin = String(options.origin)
      const line = lines.get(origin)
      if (line === undefined) lines.set(origin, { waiting: 1, sockets: new Set() })
      else line.waiting++
      agent.dispatch(options, handler)
    },
    leave(origin) {
      const line = lines.get(origin)
      if (line === undefined || --line.waiting > 0) return
      lines.delete(origin)
      for (const socket of line.sockets) socket.destroy(new Error('nobody waits for this connection'))
    },
    close() {},
  }
}

/** Nothing is shared: a tunnel that is being made cannot be given up otherwise. */
function proxiedTransport({ EnvHttpProxyAgent }: Undici, signal: AbortSignal): Transport {
  const tls = { ...connection, signal }
  const agent = new EnvHttpProxyAgent({
    ...limits,
    connect: tls,
    proxyTls: tls,
    requestTls: tls,
    // Plain http is asked of the proxy as usual; many refuse a tunnel to port 80.
    proxyTunnel: false,
  })
  return {
    dispatch: (options, handler) => void agent.dispatch(options, handler),
    leave() {},
    close: () => void agent.destroy(),
  }
}
