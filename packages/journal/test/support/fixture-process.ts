import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { until } from '../../../../test/support/until.ts'
import { atEnd } from './journal-setup.ts'

export interface FixtureProcess {
  readonly child: ChildProcess
  /** Everything that it has printed, on both streams. */
  readonly output: () => string
  /** Resolves when it has printed this. */
  printed(text: string): Promise<void>
  /** Resolves to its exit code or the signal that ended it. */
  ended(): Promise<number | string>
  kill(signal?: NodeJS.Signals): Promise<void>
}

interface FixtureOptions {
  readonly env?: NodeJS.ProcessEnv
  /** A command that runs Node. */
  readonly under?: readonly string[]
  /** Of Node. */
  readonly flags?: readonly string[]
}

/** Starts one of the programs in `fixtures`. It is killed after the test. */
export function startFixture(
  name: string,
  args: readonly string[],
  { env = {}, under = [], flags = [] }: FixtureOptions = {},
): FixtureProcess {
  const program = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
  const [command, ...rest] = [...under, process.execPath, ...flags, program, ...args]
  const child = spawn(command!, rest, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  const closed = once(child, 'close')
  const ended = async () => {
    const [code, signal] = (await closed) as [number | null, string | null]
    return code ?? signal!
  }
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await closed
  }
  atEnd(() => kill())
  return {
    child,
    output: () => text,
    async printed(expected) {
      await until(() => {
        if (text.includes(expected)) return true
        if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${text}`)
        return false
      })
    },
    ended,
    kill,
  }
}
