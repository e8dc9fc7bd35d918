import { type Clock, messageOf, type Redactor } from '@curfew/core/internal'
import { type Client, type ConnectOptions, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { abortable } from '../../async/abortable.ts'
import type { HttpTarget, StdioTarget } from '../../config/server-config.ts'
import type { OAuthSession } from '../oauth/oauth-session.ts'
import { connectHttp } from '../transport/connect-http.ts'
import { StdioTransport } from '../transport/stdio-transport.ts'
import type { Connection } from './create-client.ts'
import type { FilledValues } from './server-secrets.ts'

export interface Way {
  readonly target: StdioTarget | HttpTarget
  readonly values: FilledValues
  readonly auth: OAuthSession | undefined
  readonly redactor: Redactor
  readonly clock: Clock
}

type Options = ConnectOptions & { readonly signal: AbortSignal }

/** Goes to a server and shakes hands. What was started is stopped if that fails. */
export async function connectClient(client: Client, way: Way, options: Options): Promise<Connection> {
  const { target, values, auth, redactor, clock } = way
  if (target.kind !== 'stdio') {
    const { kind, url: shownUrl } = target
    const transport = await connectHttp(
      client,
      { kind, url: values.url, shownUrl, headers: values.named, auth, redactor, clock },
      options,
    )
    return { client, transport, ending: () => transport.ending }
  }
  const { command, cwd } = target
  const argv = [command, ...values.args] as const
  const transport = new StdioTransport({ argv, env: values.named, cwd, redactor, clock })
  try {
    await abortable(client.connect(transport, options), options.signal)
  } catch (error) {
    await transport.close().catch(() => {})
    if (transport.pid === undefined) throw error
    throw new Error(whyNot(error, transport.ending), { cause: error })
  }
  return { client, transport, ending: () => transport.ending }
}

/** How a program ended says more than that its connection was closed. */
function whyNot(error: unknown, ending: string): string {
  const message = messageOf(error)
  const closed = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed
  return closed && message === 'Connection closed' ? ending : `${message} (${ending})`
}
