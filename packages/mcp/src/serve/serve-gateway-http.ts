import type { Gateway } from '../gateway/gateway.ts'
import { type ServeHttpOptions, serveHttp } from './serve-http.ts'

type Options = Omit<ServeHttpOptions, 'createServer' | 'inputSchema' | 'onListen'>

/** Serves any number of clients over HTTP. */
export async function serveGatewayOverHttp(
  gateway: Gateway,
  options: Options,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const service = await serveHttp({
    ...options,
    createServer: ({ era }) => gateway.createServer(era, era === 'legacy' ? 'session' : 'request'),
    onListen: (uris) => gateway.listen(uris),
    inputSchema: (tool) => gateway.inputSchemaOf(tool),
  })
  const { notify } = service
  const tell = {
    tools: notify.toolsChanged,
    prompts: notify.promptsChanged,
    resources: notify.resourcesChanged,
  }
  const offList = gateway.onListChanged((list) => tell[list]())
  const offResource = gateway.onResourceUpdated((uri) => notify.resourceUpdated(uri))
  return {
    url: service.url,
    async close() {
      offList()
      offResource()
      await service.close()
    },
  }
}
