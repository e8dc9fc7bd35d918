import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@curfew/core/internal'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { textOfResult } from '../../src/client/connection/result-text.ts'
import { ServerState } from '../../src/client/state/server-state.ts'
import { type SignIn, Upstream } from '../../src/client/upstream.ts'
import { type HttpTarget, type ServerConfig, serverDefaults } from '../../src/config/server-config.ts'

export interface RemoteOptions extends Partial<HttpTarget> {
  readonly url: string
  readonly signIn?: SignIn
  readonly startTimeoutMs?: number
  readonly settings?: Partial<ServerConfig>
  readonly clock?: Clock
}

export interface Remote {
  readonly upstream: Upstream
  /** Calls a tool and returns its text. */
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<string>
}

/** Opens an `Upstream` for a URL. */
export async function remoteUpstream({
  signIn,
  startTimeoutMs = 20_000,
  settings,
  clock,
  ...target
}: RemoteOptions): Promise<Remote> {
  const root = await mkdtemp(join(tmpdir(), 'curfew-remote-'))
  const config: ServerConfig = {
    name: 'remote',
    file: join(root, 'mcp.json'),
    root,
    target: { kind: 'http', headers: {}, oauth: undefined, ...target },
    ...serverDefaults,
    startTimeoutMs,
    ...settings,
  }
  const upstream = new Upstream(config, {
    state: await ServerState.open(root, config),
    readSecret: async (name) => `value-of-${name}`,
    signIn,
    log: () => {},
    clock,
  })
  onTestFinished(async () => {
    await upstream.close()
    // Its state may still be being written.
    await rm(root, { recursive: true, maxRetries: 5 })
  })
  return {
    upstream,
    async call(name, args = {}, signal = new AbortController().signal) {
      const request = { method: 'tools/call', params: { name, arguments: args } }
      return textOfResult((await upstream.request(request, { signal })) as CallToolResult)
    },
  }
}
