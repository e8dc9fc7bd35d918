import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Gateway } from '../gateway/gateway.ts'
import { StdioListens } from './stdio-listens.ts'

/** Serves one client on our standard streams. Resolves when it has gone. */
export async function serveGatewayOverStdio(
  gateway: Gateway,
  onerror: (error: Error) => void,
): Promise<void> {
  const transport = new CorkedTransport()
  // Everything that waits for a slow reader listens to it, and that may be much.
  process.stdout.setMaxListeners(0)
  await new Promise<void>((resolve) => {
    serveStdio(({ era }) => gateway.createServer(era), { transport, onerror })
    const listens = new StdioListens((uris) => gateway.listen(uris))
    const { onclose, onmessage } = transport
    transport.onmessage = (message) => {
      listens.onReceived(message)
      onmessage?.(message)
    }
    transport.onsend = (message) => listens.onSent(message)
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}

/** A client that does not read loses what nobody waits for; otherwise it would all be kept here. */
const mostUnreadBytes = 16 << 20
const news: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message'])

/** Answers that are ready at once leave in one write: to wake another process is dear. */
class CorkedTransport extends StdioServerTransport {
  onsend: (message: JSONRPCMessage) => void = () => {}

  override send(...args: Parameters<StdioServerTransport['send']>): Promise<void> {
    const [message] = args
    const { stdout } = process
    this.onsend(message)
    if (stdout.writableLength > mostUnreadBytes && 'method' in message && news.has(message.method))
      return Promise.resolve()
    stdout.cork()
    process.nextTick(() => stdout.uncork())
    return super.send(...args)
  }
}
