import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { left, newTag } from '../../../../test/support/processes.ts'
import { ServerState } from '../../src/client/state/server-state.ts'
import { Upstream, type UpstreamOptions } from '../../src/client/upstream.ts'
import { type ServerConfig, serverDefaults } from '../../src/config/server-config.ts'

const program = fileURLToPath(new URL('../fixtures/hostile/hostile-server.ts', import.meta.url))

export interface StdioUpstreamOptions extends Partial<UpstreamOptions> {
  /** The server's mode. @default 'healthy' */
  readonly mode?: string
  readonly settings?: Partial<ServerConfig>
}

export interface Opened {
  readonly upstream: Upstream
  /** Its processes. */
  readonly running: () => readonly number[]
  /** The entries of one kind in the server's record. */
  readonly recorded: (event: string) => readonly { readonly pid: number; readonly detail: unknown }[]
  /** All log messages. */
  readonly logged: readonly string[]
}

/** Opens an `Upstream` for a fixture server, which gets the secret KEY. */
export async function stdioUpstream(options: StdioUpstreamOptions = {}): Promise<Opened> {
  const { mode = 'healthy', settings = {}, ...rest } = options
  const folder = await mkdtemp(join(tmpdir(), 'curfew-upstream-'))
  const tag = newTag()
  const record = join(folder, 'record.jsonl')
  const config: ServerConfig = {
    name: 'server',
    file: join(folder, 'mcp.json'),
    root: folder,
    target: {
      kind: 'stdio',
      command: process.execPath,
      args: [program, mode, record, tag],
      env: { KEY: [{ secret: 'KEY' }] },
      cwd: folder,
    },
    ...serverDefaults,
    ...settings,
  }
  const logged: string[] = []
  const upstream = new Upstream(config, {
    state: await ServerState.open(join(folder, 'state'), config),
    readSecret: async () => 'a key',
    log: (message) => logged.push(message),
    ...rest,
  })
  onTestFinished(async () => {
    await upstream.close()
    // Its state may still be being written.
    await rm(folder, { recursive: true, maxRetries: 5 })
  })
  return {
    upstream,
    running: () => left(tag),
    recorded: (event) =>
      (existsSync(record) ? readFileSync(record, 'utf8') : '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
        .filter((entry) => entry.event === event),
    logged,
  }
}
