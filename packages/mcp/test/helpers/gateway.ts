import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { left, newTag, untilNoneLeft } from '../../../../test/support/processes.ts'

/** The built command. */
export const curfew: string = fileURLToPath(new URL('../../../cli/bin/curfew.cjs', import.meta.url))

export interface Home extends AsyncDisposable {
  readonly folder: string
  /** In the environment of every process that the test starts. */
  readonly tag: string
  readonly env: Record<string, string>
}

/** The compile cache of the test run, for processes that do not inherit the environment. */
export const compileCache: Record<string, string> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/** Creates a home directory with an `mcp.json`, and optionally a `config.json`. */
export async function createHome(
  servers: (place: { readonly folder: string; readonly tag: string }) => object,
  config?: object,
): Promise<Home> {
  const tag = newTag()
  const folder = await mkdtemp(join(tmpdir(), 'curfew-gateway-'))
  const root = join(folder, '.config', 'curfew')
  await mkdir(root, { recursive: true })
  await writeFile(join(root, 'mcp.json'), JSON.stringify({ mcpServers: servers({ folder, tag }) }))
  if (config !== undefined) await writeFile(join(root, 'config.json'), JSON.stringify(config))
  return {
    folder,
    tag,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, '.config'),
      XDG_STATE_HOME: join(folder, '.local', 'state'),
      XDG_CACHE_HOME: join(folder, '.cache'),
      XDG_DATA_HOME: join(folder, '.local', 'share'),
      NO_COLOR: '1',
      TEST_TAG: tag,
      ...compileCache,
    },
    async [Symbol.asyncDispose]() {
      await untilNoneLeft(tag, 20_000).catch(() => {})
      for (const pid of left(tag)) process.kill(pid, 'SIGKILL')
      // A closed gateway may still be writing the state of a server.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

export interface Gateway extends AsyncDisposable {
  readonly client: Client
  readonly pid: number
  /** Everything that it wrote to stderr. */
  readonly stderr: () => string
  close(): Promise<void>
}

export interface GatewayOptions extends ClientOptions {
  readonly args?: readonly string[]
  /** Called before the client connects, to set handlers. */
  readonly prepare?: (client: Client) => void
}

/** Starts `curfew mcp` as a process, with the SDK's client on its stdin and stdout. */
export async function startGateway(home: Home, options: GatewayOptions = {}): Promise<Gateway> {
  const { args = [], prepare, ...clientOptions } = options
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [curfew, 'mcp', ...args],
    env: home.env,
    cwd: home.folder,
    stderr: 'pipe',
    maxBufferSize: 256 * 1_048_576,
  })
  let stderr = ''
  transport.stderr?.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-65_536)
  })
  const client = new Client({ name: 'test-client', version: '1.0.0' }, clientOptions)
  prepare?.(client)
  try {
    await client.connect(transport)
  } catch (error) {
    throw new Error(`curfew mcp did not start. It printed:\n${stderr}`, { cause: error })
  }
  const close = (): Promise<void> => client.close()
  return { client, pid: transport.pid ?? 0, stderr: () => stderr, close, [Symbol.asyncDispose]: close }
}
