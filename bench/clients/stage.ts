import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newTag } from '../../test/support/processes.ts'
import { readPrintedUrl } from '../../test/support/read-printed-url.ts'

export const transports = ['stdio', 'http'] as const
export type Transport = (typeof transports)[number]

/** How a client reaches the gateway. */
export type GatewayTarget =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly token: string }

/** A home with configured servers, and a gateway in front of them that clients start or connect to. */
export interface Stage {
  readonly home: string
  /** In the environment of every process. */
  readonly tag: string
  readonly env: Readonly<Record<string, string>>
  readonly target: GatewayTarget
  /** What a server has received. */
  events(server: ServerName): string[]
  close(): Promise<void>
}

/** Besides these, a server is configured that cannot be started. */
export type ServerName = 'probe' | 'patient' | 'fragile'

/** The limit of `mcp__probe__hang`. */
const limitSeconds = 3

const curfew = fileURLToPath(new URL('../../packages/cli/bin/curfew.cjs', import.meta.url))
const probe = fileURLToPath(new URL('probe-server.ts', import.meta.url))

export async function createStage(transport: Transport): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'curfew-clients-'))
  const log = (server: ServerName): string => join(home, `${server}.log`)
  const server = (name: ServerName, ...tools: string[]) => ({
    command: process.execPath,
    args: [probe, log(name), ...tools],
  })
  const mcpServers = {
    probe: { ...server('probe', 'echo', 'hang'), timeout: `${limitSeconds}s` },
    patient: { ...server('patient', 'hang'), timeout: '10m' },
    fragile: server('fragile', 'crash'),
    dead: { command: process.execPath, args: ['-e', 'process.exit(1)'] },
  }
  mkdirSync(join(home, '.config/curfew'), { recursive: true })
  writeFileSync(join(home, '.config/curfew/mcp.json'), JSON.stringify({ mcpServers }))
  const tag = newTag()
  const { PATH = '' } = process.env
  const env = { PATH, HOME: home, TMPDIR: home, CURFEW_TEST_TAG: tag }
  const gateway = transport === 'http' ? await startGateway(home, env) : null
  return {
    home,
    tag,
    env,
    target: gateway?.target ?? { command: process.execPath, args: [curfew, 'mcp', '--name-limit', '51'] },
    events: (server) => (existsSync(log(server)) ? readFileSync(log(server), 'utf8').trim().split('\n') : []),
    async close() {
      await gateway?.stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

interface RunningGateway {
  readonly target: GatewayTarget
  stop(): Promise<void>
}

async function startGateway(home: string, env: Record<string, string>): Promise<RunningGateway> {
  const token = 'token-of-the-clients-bench'
  const args = [curfew, 'mcp', '--http', '--port', '0', '--name-limit', '51']
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: { ...env, CURFEW_MCP_TOKEN: token },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = await readPrintedUrl(child)
  return {
    target: { url, token },
    async stop() {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
