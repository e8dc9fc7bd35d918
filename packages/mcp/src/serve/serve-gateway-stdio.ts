import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Gateway } from '../gateway/gateway.ts'
import { listenedResources } from './listened-resources.ts'

/** Serves one client on our standard streams. Resolves when it has gone. */
export async function serveGatewayOverStdio(
  gateway: Gateway,
  onerror: (error: Error) => void,
): Promise<void> {
  const transport = new CorkedTransport()
  await new Promise<void>((resolve) => {
    serveStdio(({ era }) => gateway.createServer(era), { transport, onerror })
    const { onclose, onmessage } = transport
    transport.onmessage = (message) => {
      for (const uri of listenedResources(message)) gateway.onListen(uri)
      onmessage?.(message)
    }
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
  override send(...args: Parameters<StdioServerTransport['send']>): Promise<void> {
    const [message] = args
    const { stdout } = process
    if (stdout.writableLength > mostUnreadBytes && 'method' in message && news.has(message.method))
      return Promise.resolve()
    stdout.cork()
    process.nextTick(() => stdout.uncork())
    return super.send(...args)
  }
}
