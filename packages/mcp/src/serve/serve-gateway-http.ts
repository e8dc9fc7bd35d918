import type { ListKind } from '../client/connection/create-client.ts'
import type { RequestConversations } from '../gateway/client-conversation.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Profile, Scope } from '../gateway/scope.ts'
import type { HttpAccess } from './http-clients.ts'
import { type ServeHttpOptions, serveHttp } from './serve-http.ts'

type Options = Omit<ServeHttpOptions, 'createServer' | 'inputSchema' | 'onListen' | 'limited'>

export interface ServeGatewayOptions extends Options {
  /** Clients with one of these tokens are served only that profile. */
  readonly profiles?: readonly ProfileAccess[] | undefined
}

export interface ProfileAccess {
  readonly profile: Profile
  readonly token: string
}

/** Serves any number of clients over HTTP. */
export async function serveGatewayOverHttp(
  gateway: Gateway,
  { profiles = [], ...options }: ServeGatewayOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const served: readonly Served[] = [
    { token: options.token, scope: undefined, requests: gateway.openRequests() },
    ...profiles.map(({ token, profile }) => ({
      token,
      scope: gateway.scopeOf(profile),
      requests: gateway.openRequests(),
    })),
  ]
  const [main, ...limited] = served.map((each) => toAccess(gateway, each))
  const service = await serveHttp({ ...options, ...main!, limited })
  const stops = served.flatMap(({ scope }, index) => {
    const notify = service.notifiers[index]!
    const notifyList: Readonly<Record<ListKind, () => void>> = {
      tools: notify.toolsChanged,
      prompts: notify.promptsChanged,
      resources: notify.resourcesChanged,
    }
    return [
      gateway.onListChanged((list) => notifyList[list](), scope),
      gateway.onResourceUpdated((uri) => notify.resourceUpdated(uri), scope),
    ]
  })
  return {
    url: service.url,
    async close() {
      for (const stop of stops) stop()
      await service.close()
      await Promise.all(served.map(({ requests }) => requests.close()))
    },
  }
}

interface Served {
  readonly token: string | null
  /** `undefined` for what the gateway serves by default. */
  readonly scope: Scope | undefined
  readonly requests: RequestConversations
}

function toAccess(gateway: Gateway, { token, scope, requests }: Served): HttpAccess {
  return {
    token,
    createServer: ({ era, onPresence }) =>
      era === 'legacy'
        ? gateway.createServer(era, 'session', scope, onPresence)
        : gateway.createRequestServer(requests, scope),
    onListen: (uris) => gateway.listen(uris, scope),
    inputSchema: (tool) => gateway.inputSchemaOf(tool, scope),
  }
}
