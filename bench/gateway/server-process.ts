import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export interface ServerOptions {
  /** Where it works, and has its home. */
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
}

export interface ServerProcess {
  /** The end of what it wrote to stderr. */
  said(): string
  stop(): void
}

export interface StdioProcess extends ServerProcess {
  readonly stdin: Writable
  readonly stdout: Readable
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) stop(child)
})

/** A server that is spoken to by HTTP. */
export function startHttpServer(argv: readonly [string, ...string[]], options: ServerOptions): ServerProcess {
  return start(argv, options, 'ignore')
}

/** A server that is spoken to by stdin and stdout. */
export function startStdioServer(argv: readonly [string, ...string[]], options: ServerOptions): StdioProcess {
  const { child, ...rest } = start(argv, options, 'pipe')
  return { stdin: child.stdin!, stdout: child.stdout!, ...rest }
}

function start(
  [file, ...args]: readonly [string, ...string[]],
  { home, env = {} }: ServerOptions,
  stdio: 'ignore' | 'pipe',
): ServerProcess & { child: ChildProcess } {
  const child = spawn(file, args, {
    cwd: home,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      TMPDIR: home,
      XDG_CONFIG_HOME: `${home}/.config`,
      ...env,
    },
    stdio: [stdio, stdio, 'pipe'],
    detached: true,
  })
  running.add(child)
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  return { child, said: () => said, stop: () => stop(child) }
}

/** With what it started, as far as that stayed in its process group. */
function stop(child: ChildProcess): void {
  running.delete(child)
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // Nothing is left of it.
  }
}
