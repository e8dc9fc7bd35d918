import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A server for the suite to test. */
export interface Subject {
  readonly url: string
  stop(): Promise<void>
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const curfew = fileURLToPath(new URL('../../../cli/bin/curfew.cjs', import.meta.url))

/** Ensures that no process is left behind. */
const maxLifetimeMs = 600_000
const startMs = 60_000

/** Serves the fixture with only the SDK. */
export async function startBareSdk(): Promise<Subject> {
  return await startSubject([here('fixture-http.ts')], {}, process.cwd())
}

/** Serves the gateway, with the fixture as its only server. */
export async function startGateway(fixtureArgs: readonly string[] = []): Promise<Subject> {
  const home = await mkdtemp(join(tmpdir(), 'curfew-gateway-'))
  const fixture = { command: process.execPath, args: [here('fixture-server.ts'), ...fixtureArgs] }
  await mkdir(join(home, 'curfew'))
  await writeFile(join(home, 'curfew', 'mcp.json'), JSON.stringify({ mcpServers: { fixture } }))
  const args = [curfew, 'mcp', '--http', '--port', '0', '--no-token', '--unprefixed', '--view', 'full']
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
  const url = await readUrl(child)
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

/** The URL is printed to stderr. */
function readUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let stderr = ''
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the server did not listen within ${startMs} ms:\n${stderr}`))
    }, startMs)
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
      const url = /http:\/\/\S+\/mcp\b/.exec(stderr)?.[0]
      if (url === undefined) return
      clearTimeout(late)
      resolve(url)
    })
    child.once('exit', (code) => {
      clearTimeout(late)
      reject(new Error(`the server exited with ${code} before it listened:\n${stderr}`))
    })
  })
}
