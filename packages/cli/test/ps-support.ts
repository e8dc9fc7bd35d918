import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { PromptSetup } from './prompt-support.ts'
import { type Ended, ending } from './run-curfew.ts'

export interface ListedCall {
  readonly id: string
  readonly parent: string | null
  readonly program: string
  readonly pid: number
  readonly tool: string
  readonly status: string
  readonly project: string
  readonly contact: string
}

/** Runs `curfew ps` and `curfew cancel` in a temporary project, with processes that run calls. */
export class PsSetup extends PromptSetup {
  readonly #started: ChildProcess[] = []

  constructor() {
    super()
    // Runs before the folders are removed, because the last registered hook is the first.
    afterEach(async () => await this.stop())
  }

  /** Starts a command that is stopped after the test. */
  begin(...args: string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
    const child = this.start(args)
    this.#started.push(child)
    return { child, ended: ending(child) }
  }

  /** Starts `curfew call` with a script that prints a line and waits. */
  beginCall(...args: string[]): ReturnType<PsSetup['begin']> {
    this.script('wait', 'echo "waiting for $$"; exec sleep 300')
    return this.begin('call', 'script_wait', ...args)
  }

  /** Stops all commands. */
  async stop(): Promise<void> {
    const running = this.#started
      .splice(0)
      .filter((child) => child.exitCode === null && child.signalCode === null)
    await Promise.all(
      running.map(async (child) => {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        await exited
      }),
    )
  }

  async listed(...args: string[]): Promise<ListedCall[]> {
    const { stdout, stderr, code } = await this.run('ps', '--json', ...args)
    expect([stderr, code]).toEqual(['', 0])
    return JSON.parse(stdout).calls
  }

  /** Waits until this many calls of processes that respond have the state, and returns them. */
  async untilListed(count: number, status = 'executing'): Promise<ListedCall[]> {
    let calls: ListedCall[] = []
    await until(async () => {
      const listed = await this.listed()
      calls = listed.filter((one) => one.status === status && one.contact === 'connected')
      return calls.length === count
    })
    return calls
  }

  /** Waits until a call runs. */
  async untilRunning(): Promise<ListedCall> {
    const [call] = await this.untilListed(1)
    return call!
  }
}
