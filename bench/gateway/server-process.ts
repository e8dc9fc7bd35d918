import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Argv } from './programs.ts'

export interface HttpServer {
  /** The last part of its standard error. */
  stderrTail(): string
}

export interface StdioServer extends HttpServer {
  readonly stdin: Writable
  readonly stdout: Readable
  stop(): void
}

type Variables = Readonly<Record<string, string>>

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) stop(child)
})

/** A server with an HTTP transport. It runs until this process exits. */
export function startHttpServer(argv: Argv, home: string, env: Variables = {}): HttpServer {
  return { stderrTail: keepStderr(start(argv, home, env, 'ignore')) }
}

/** A server with a stdio transport. */
export function startStdioServer(argv: Argv, home: string, env: Variables = {}): StdioServer {
  const child = start(argv, home, env, 'pipe')
  return {
    stdin: child.stdin!,
    stdout: child.stdout!,
    stderrTail: keepStderr(child),
    stop: () => stop(child),
  }
}

function start([file, ...args]: Argv, home: string, env: Variables, stdio: 'ignore' | 'pipe'): ChildProcess {
  const child = spawn(file, args, {
    cwd: home,
    // Isolated from the user's own settings.
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: home,
      XDG_CONFIG_HOME: `${home}/.config`,
      ...env,
    },
    stdio: [stdio, stdio, 'pipe'],
    detached: true,
  })
  running.add(child)
  return child
}

function keepStderr(child: ChildProcess): () => string {
  let tail = ''
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-2_000)
  })
  return () => tail
}

/** Together with its process group. */
function stop(child: ChildProcess): void {
  running.delete(child)
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
