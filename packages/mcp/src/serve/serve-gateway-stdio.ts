import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Gateway } from '../gateway/gateway.ts'
import { ClientPipe } from './client-pipe.ts'
import { ListenTracker } from './listen-tracker.ts'

/** Serves one client on stdin and stdout. Resolves when it has disconnected. */
export async function serveGatewayOverStdio(
  gateway: Gateway,
  onerror: (error: Error) => void,
): Promise<void> {
  const transport = new ClientPipe(process.stdin, process.stdout)
  await new Promise<void>((resolve) => {
    serveStdio(({ era }) => gateway.createServer(era), { transport, onerror })
    const tracker = new ListenTracker((uris) => gateway.listen(uris))
    const { onclose, onmessage } = transport
    transport.onmessage = (message) => {
      tracker.onReceived(message)
      onmessage?.(message)
    }
    transport.onsend = (message) => tracker.onSent(message)
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}
