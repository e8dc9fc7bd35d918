import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { left, linux, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { type Opened, stdioUpstream } from './helpers/stdio-upstream.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`fixtures/${path}`, import.meta.url))
const { signal } = new AbortController()

interface Engine {
  /** The folder of its clients `docker` and `podman`. */
  readonly bin: string
  readonly socket: string
  /** The requests that it received. */
  readonly requests: () => readonly Record<string, unknown>[]
  /** A tag that only the containers have. */
  readonly tag: string
  readonly folder: string
}

/** Starts a fake container engine, outside of everything that Curfew starts. */
async function startEngine(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-engine-'))
  const [socket, log] = [join(folder, 'socket'), join(folder, 'log')]
  const daemon = spawn(process.execPath, [fixture('containers/fake-engine.js'), socket, log], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const tag = newTag()
  onTestFinished(async () => {
    daemon.kill('SIGKILL')
    for (const pid of left(tag)) process.kill(pid, 'SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  await once(daemon.stdout!, 'data')
  for (const name of ['docker', 'podman']) {
    const client = join(folder, name)
    await writeFile(
      client,
      `#!/bin/sh\nexec '${process.execPath}' '${fixture('containers/fake-client.js')}' "$@"\n`,
    )
    await chmod(client, 0o755)
  }
  return {
    bin: folder,
    socket,
    tag,
    folder,
    requests: () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
}

/** Opens a server in a container; `mode` is its behaviour. */
async function inContainer(
  engine: Engine,
  mode: string,
  command: readonly string[] = ['docker', 'run', '-i', '--rm'],
): Promise<Opened> {
  const [program, ...args] = command
  const server = [
    process.execPath,
    fixture('hostile/hostile-server.ts'),
    mode,
    join(engine.folder, 'record'),
    engine.tag,
  ]
  return await stdioUpstream({
    settings: {
      target: {
        kind: 'stdio',
        command: program!,
        args: [...args, 'mcp/server', ...server],
        env: { PATH: [`${engine.bin}:${process.env.PATH}`], FAKE_ENGINE: [engine.socket] },
        cwd: engine.folder,
      },
    },
  })
}

const stops = ({ requests }: Engine): unknown[] => requests().flatMap(({ stop }) => stop ?? [])

test.for([
  [['docker', 'run', '-i', '--rm']],
  [['podman', 'run', '-i', '--rm']],
  [['docker', '--context', 'remote', 'run', '-i']],
] as const)('a container that ignores the end of its input and SIGTERM is stopped: %s', async ([command]) => {
  const engine = await startEngine()
  const { upstream } = await inContainer(engine, 'ignores-sigterm', command)
  await upstream.connect(signal)
  expect(left(engine.tag).length).toBeGreaterThan(0)
  await upstream.disconnect()
  await upstream.close()
  expect(left(engine.tag)).toEqual([])
  expect(stops(engine)).toHaveLength(1)
})

test('a container that exits with its input leaves nothing behind', async () => {
  const engine = await startEngine()
  const { upstream } = await inContainer(engine, 'healthy')
  await upstream.connect(signal)
  await upstream.close()
  await until(() => left(engine.tag).length === 0)
})

test('a container whose client is killed is stopped before the server is started again', async () => {
  const engine = await startEngine()
  const { upstream } = await inContainer(engine, 'ignores-sigterm')
  await upstream.connect(signal)
  const [first] = containersOf(engine)
  process.kill(upstream.status.pid!, 'SIGKILL')
  await until(() => !upstream.connected)
  await upstream.connect(signal)
  expect(containersOf(engine)).not.toContain(first)
  expect(containersOf(engine)).toHaveLength(1)
})

test.runIf(linux)('a container is stopped if this process is killed', async () => {
  const engine = await startEngine()
  const program = fileURLToPath(new URL('fixtures/containers/start-and-wait.ts', import.meta.url))
  const child = spawn(process.execPath, [program, engine.folder, engine.tag], {
    env: { ...process.env, PATH: `${engine.bin}:${process.env.PATH}`, FAKE_ENGINE: engine.socket },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout!, 'data')
  expect(containersOf(engine)).toHaveLength(1)
  child.kill('SIGKILL')
  await until(() => left(engine.tag).length === 0)
})

/** The containers' processes, without their clients. */
function containersOf({ tag }: Engine): number[] {
  return left(tag).filter((pid) => {
    const [first, script] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return first === process.execPath && script?.endsWith('hostile-server.ts') === true
  })
}
