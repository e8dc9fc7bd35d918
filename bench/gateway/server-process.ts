import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Argv } from './programs.ts'

export interface HttpServer {
  /** The end of what it wrote to stderr. */
  said(): string
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

/** A server that is spoken to over HTTP. It runs until this process ends. */
export function startHttpServer(argv: Argv, home: string, env: Variables = {}): HttpServer {
  return { said: keepComplaints(start(argv, home, env, 'ignore')) }
}

/** A server that is spoken to over stdin and stdout. */
export function startStdioServer(argv: Argv, home: string, env: Variables = {}): StdioServer {
  const child = start(argv, home, env, 'pipe')
  return { stdin: child.stdin!, stdout: child.stdout!, said: keepComplaints(child), stop: () => stop(child) }
}

function start([file, ...args]: Argv, home: string, env: Variables, stdio: 'ignore' | 'pipe'): ChildProcess {
  const child = spawn(file, args, {
    cwd: home,
    // Nothing of the user's own settings.
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

function keepComplaints(child: ChildProcess): () => string {
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  return () => said
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
