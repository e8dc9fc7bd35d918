import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ServerConfig } from '../../src/config/server-config.ts'
import { serverDefaults } from '../../src/config/server-config.ts'
import type { GatewayOptions } from '../../src/gateway/create-gateway.ts'
import { type LocalGateway, startLocalGateway } from './local-gateway.ts'

export interface RemoteGatewayOptions extends Partial<GatewayOptions> {
  /** Settings of the server. */
  readonly settings?: Partial<ServerConfig>
}

/** Serves one remote server, `remote`, over HTTP in this process. Calls need no approval. */
export async function startRemoteGateway(
  origin: string,
  { settings, runtime, ...options }: RemoteGatewayOptions = {},
): Promise<LocalGateway> {
  const root = await mkdtemp(join(tmpdir(), 'curfew-remote-gateway-'))
  // A closed gateway may still be writing the state of a server.
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
  const target = { kind: 'http', url: `${origin}/mcp`, headers: {}, oauth: undefined } as const
  const config = {
    name: 'remote',
    file: join(root, 'mcp.json'),
    root,
    target,
    ...serverDefaults,
    ...settings,
  }
  return await startLocalGateway({
    servers: [config],
    stateFolder: root,
    runtime: { approval: 'allow', ...runtime },
    ...options,
  })
}
