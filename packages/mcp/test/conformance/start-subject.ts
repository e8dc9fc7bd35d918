import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readPrintedUrl } from '../../../../test/support/read-printed-url.ts'

/** A server for the suite to test. */
export interface Subject {
  readonly url: string
  stop(): Promise<void>
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const curfew = fileURLToPath(new URL('../../../cli/bin/curfew.cjs', import.meta.url))

/** Ensures that no process is left behind. */
const maxLifetimeMs = 600_000

/** Serves a fixture with only the SDK. */
export async function startBareSdk(fixture: Fixture = 'conformance'): Promise<Subject> {
  return await startSubject([here('fixture-http.ts'), fixture], {}, process.cwd())
}

/** The server of the official suite, or the server whose tools run as tasks. */
export type Fixture = 'conformance' | 'tasks'

const programs: Readonly<Record<Fixture, string>> = {
  conformance: here('fixture-server.ts'),
  tasks: here('../fixtures/tasks/task-server.ts'),
}

export interface GatewayOptions {
  /** @default 'conformance' */
  readonly fixture?: Fixture
  readonly fixtureArgs?: readonly string[]
  readonly gatewayArgs?: readonly string[]
}

/** Serves the gateway with its default settings, with a fixture as its only server. */
export async function startGateway(options: GatewayOptions = {}): Promise<Subject> {
  const { fixture: kind = 'conformance', fixtureArgs = [], gatewayArgs = [] } = options
  const home = await mkdtemp(join(tmpdir(), 'curfew-gateway-'))
  // A scenario adds a tool and expects it to be listed, which would need approval.
  const pin = 'notify'
  const fixture = { command: process.execPath, args: [programs[kind], ...fixtureArgs], pin }
  await mkdir(join(home, 'curfew'))
  await writeFile(join(home, 'curfew', 'mcp.json'), JSON.stringify({ mcpServers: { fixture } }))
  const args = [curfew, 'mcp', '--http', '--port', '0', '--no-token', ...gatewayArgs]
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_CACHE_HOME: home,
    XDG_STATE_HOME: home,
    XDG_DATA_HOME: home,
  }
  const subject = await startSubject(args, env, home)
  return {
    url: subject.url,
    async stop() {
      await subject.stop()
      await rm(home, { recursive: true })
    },
  }
}

async function startSubject(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Promise<Subject> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: maxLifetimeMs,
    killSignal: 'SIGKILL',
  })
  const url = await readPrintedUrl(child)
  return {
    url,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
