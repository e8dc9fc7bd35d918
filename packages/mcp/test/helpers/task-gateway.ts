import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type ServerConfig, serverDefaults } from '../../src/config/server-config.ts'
import { type LocalGateway, startLocalGateway } from './local-gateway.ts'

const program = fileURLToPath(new URL('../fixtures/tasks/task-server.ts', import.meta.url))

/** The protocol versions of the server: only the older one, or both. */
export type Versions = '2025' | 'both'

export interface TaskFixture {
  readonly config: ServerConfig
  /** The methods of all requests that the server got, in order. */
  readonly received: () => readonly string[]
  /** Their parameters, for one method. */
  readonly paramsOf: (method: string) => readonly Record<string, unknown>[]
}

/** The server whose tools run as tasks. */
export async function taskFixture(
  versions: Versions,
  settings: Partial<ServerConfig> = {},
): Promise<TaskFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-tasks-'))
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 10 }))
  const record = join(folder, 'record.jsonl')
  const entries = (): { readonly method: string; readonly params: Record<string, unknown> }[] =>
    (existsSync(record) ? readFileSync(record, 'utf8') : '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return {
    config: {
      name: 'jobs',
      file: join(folder, 'mcp.json'),
      root: folder,
      target: {
        kind: 'stdio',
        command: process.execPath,
        args: [program, versions, record],
        env: {},
        cwd: folder,
      },
      ...serverDefaults,
      ...settings,
    },
    received: () => entries().map(({ method }) => method),
    paramsOf: (wanted) => entries().flatMap(({ method, params }) => (method === wanted ? [params] : [])),
  }
}

/** A gateway in front of it. */
export async function startTaskGateway(
  versions: Versions,
  settings: Partial<ServerConfig> = {},
  httpTokens: readonly string[] = ['token-a'],
): Promise<{ readonly gateway: LocalGateway; readonly server: TaskFixture }> {
  const server = await taskFixture(versions, settings)
  const gateway = await startLocalGateway({
    servers: [server.config],
    runtime: { approval: { default: 'allow' } },
    stateFolder: join(server.config.root, 'state'),
    httpTokens,
  })
  return { gateway, server }
}
