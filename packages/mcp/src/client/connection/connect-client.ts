import { abortable, type Clock, type Redactor } from '@curfew/core/internal'
import { type Client, type ConnectOptions, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { HttpTarget, StdioTarget } from '../../config/server-config.ts'
import type { OAuthSession } from '../oauth/oauth-session.ts'
import { connectHttp } from '../transport/connect-http.ts'
import { formatEnding } from '../transport/connection-ending.ts'
import type { HttpTransport } from '../transport/http-transport.ts'
import { StdioTransport } from '../transport/stdio-transport.ts'
import type { Connection } from './create-client.ts'
import type { FilledValues } from './server-secrets.ts'
import { StartError, startError } from './start-error.ts'

export interface ConnectTarget {
  readonly target: StdioTarget | HttpTarget
  readonly values: FilledValues
  readonly auth: OAuthSession | undefined
  /** Contains the secrets that the server gets. */
  readonly redactor: Redactor
  /** Called with each line on stderr, redacted. */
  readonly onStderr?: ((line: string) => void) | undefined
  readonly clock: Clock
}

type Options = ConnectOptions & { readonly signal: AbortSignal }

/** Starts or reaches a server and initializes the connection. If that fails, the process is stopped. */
export async function connectClient(
  client: Client,
  to: ConnectTarget,
  options: Options,
): Promise<Connection> {
  const { target, values, auth, redactor, onStderr, clock } = to
  if (target.kind !== 'stdio') {
    const { kind, url: shownUrl } = target
    const transport = await connectHttp(
      client,
      { kind, url: values.url, shownUrl, headers: values.named, auth, redactor, clock },
      options,
    )
    return connectionOf(client, transport)
  }
  const { command, cwd } = target
  const argv = [command, ...values.args] as const
  const transport = new StdioTransport({ argv, env: values.named, cwd, redactor, onStderr, clock })
  try {
    await abortable(client.connect(transport, options), options.signal)
  } catch (error) {
    const { hasExited } = transport
    await transport.close().catch(() => {})
    if (transport.pid === undefined) throw error
    throw failedStart(error, transport, hasExited)
  }
  return connectionOf(client, transport, transport.pid)
}

function connectionOf(
  client: Client,
  transport: StdioTransport | HttpTransport,
  pid?: number | undefined,
): Connection {
  return {
    client,
    transport,
    pid,
    ending: () => transport.ending,
    watchProgress: (listener, until) => transport.watchProgress(listener, until),
  }
}

/** How a process ended is more useful than that its connection was closed. */
function failedStart(error: unknown, { ending }: StdioTransport, hasExited: boolean): StartError {
  const isClosed = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed
  if (isClosed) return new StartError(formatEnding(ending), { cause: error, ending, hasExited })
  return startError(error, ending, hasExited)
}
