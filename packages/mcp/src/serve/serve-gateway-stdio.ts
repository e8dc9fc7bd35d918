import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { Gateway } from '../gateway/gateway.ts'
import { ClientPipe } from './client-pipe.ts'
import { OpeningExchange } from './opening-exchange.ts'
import { StdioConnection } from './stdio-connection.ts'

/** Serves one client on stdin and stdout. Resolves when it has disconnected. */
export async function serveGatewayOverStdio(
  gateway: Gateway,
  onerror: (error: Error) => void,
): Promise<void> {
  const pipe = new ClientPipe(process.stdin, process.stdout)
  const opening = new OpeningExchange(gateway)
  let connection: StdioConnection | null = null
  let isClosed = false
  const connect = (): StdioConnection => {
    connection ??= new StdioConnection(gateway, pipe, opening, onerror)
    return connection
  }
  const answer = (response: JSONRPCMessage | null): void => {
    if (response !== null) pipe.send(response).catch(onerror)
    if (opening.isComplete)
      setImmediate(() => {
        if (!isClosed) connect()
      })
  }
  await new Promise<void>((resolve) => {
    pipe.onerror = (error) => (connection === null ? onerror(error) : connection.onerror(error))
    pipe.onmessage = (message) => {
      const response = connection === null ? opening.handle(message) : undefined
      if (response === undefined) connect().receive(message)
      else answer(response)
    }
    pipe.onclose = () => {
      isClosed = true
      connection?.onclose()
      resolve()
    }
    void pipe.start()
  })
}
