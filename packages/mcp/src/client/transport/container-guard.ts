import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { type Clock, childEnvironment, ownProgram, withTimer } from '@curfew/core/internal'
import { containerEngineOf } from './container-engine-of.ts'

export interface GuardedCommand {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

/** Slightly more than the guard itself gives the engine. */
const timeoutMs = 12_000

/**
 * Ends the container of a server that was started with `docker run` or `podman run`. The container is not a child of that
 * command, so it would outlive the command if it ignores the end of its input and SIGTERM. A small process that outlives this one
 * stops it, so that it is also stopped if this process is killed.
 */
export class ContainerGuard {
  /** The command, which gives the container a label to find it by. */
  readonly argv: readonly [string, ...string[]]
  readonly #guard: ChildProcess
  readonly #ended: Promise<void>
  readonly #clock: Clock

  /** Starts it before the command is. `null` if the command runs no container; on Windows always. */
  static start(command: GuardedCommand, clock: Clock): ContainerGuard | null {
    const engine = process.platform === 'win32' ? null : containerEngineOf(command.argv)
    return engine === null ? null : new ContainerGuard(command, engine, clock)
  }

  private constructor({ argv, env, cwd }: GuardedCommand, engine: readonly string[], clock: Clock) {
    const label = `curfew-run=${randomUUID()}`
    const run = argv.slice(engine.length)
    this.argv = [...engine, run[0]!, '--label', label, ...run.slice(1)] as [string, ...string[]]
    this.#clock = clock
    const guard = spawn(
      '/bin/sh',
      ['-c', script, 'curfew-container', label, ownProgram('sleep'), ...engine],
      {
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
        env: childEnvironment(env),
        cwd,
      },
    )
    this.#guard = guard
    guard.stdin?.on('error', () => {})
    this.#ended = new Promise((done) => {
      guard.once('error', () => done())
      guard.once('exit', () => done())
    })
    // It must not keep this process alive.
    guard.unref()
    const stdin = guard.stdin as (NodeJS.WritableStream & { unref?(): void }) | null
    stdin?.unref?.()
  }

  /** Stops the container if it is still running. Waits for it, within a limit. */
  async stop(): Promise<void> {
    this.#guard.stdin?.end()
    await this.#end()
  }

  /** The container has ended by itself. */
  async release(): Promise<void> {
    this.#guard.stdin?.end('ended\n')
    await this.#end()
  }

  async #end(): Promise<void> {
    this.#guard.ref()
    await withTimer(this.#clock, timeoutMs, (elapsed) => Promise.race([this.#ended, elapsed]))
    this.#guard.unref()
  }
}

/** Waits for the end of its input, then runs the engine, which is given 10 s in total. */
const script = `
trap '' HUP INT QUIT TERM USR1 USR2
label=$1
sleep=$2
shift 2
read -r state
[ "$state" = ended ] && exit
{
  ids=$("$@" ps -q --filter "label=$label")
  [ -n "$ids" ] && "$@" stop -t 1 $ids
} &
stop=$!
i=0
while kill -0 "$stop" && [ $((i += 1)) -lt 100 ]; do "$sleep" 0.1; done
# The guard is the leader of its own process group.
kill -0 "$stop" && kill -KILL 0
`
