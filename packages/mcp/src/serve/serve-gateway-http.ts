import type { Gateway } from '../gateway/gateway.ts'
import { type ServeHttpOptions, serveHttp } from './serve-http.ts'

type Options = Omit<ServeHttpOptions, 'createServer' | 'inputSchema' | 'onListen'>

/** Serves any number of clients over HTTP. */
export async function serveGatewayOverHttp(
  gateway: Gateway,
  options: Options,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const requests = gateway.openRequests()
  const service = await serveHttp({
    ...options,
    createServer: ({ era }) =>
      era === 'legacy' ? gateway.createServer(era, 'session') : gateway.createRequestServer(requests),
    onListen: (uris) => gateway.listen(uris),
    inputSchema: (tool) => gateway.inputSchemaOf(tool),
  })
  const { notify } = service
  const notifyList = {
    tools: notify.toolsChanged,
    prompts: notify.promptsChanged,
    resources: notify.resourcesChanged,
  }
  const stopLists = gateway.onListChanged((list) => notifyList[list]())
  const stopResources = gateway.onResourceUpdated((uri) => notify.resourceUpdated(uri))
  return {
    url: service.url,
    async close() {
      stopLists()
      stopResources()
      await service.close()
      await requests.close()
    },
  }
}
