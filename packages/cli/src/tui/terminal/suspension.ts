import { suspendCommands } from '@curfew/core/internal'
import type { TerminalModes } from './terminal-modes.ts'

export interface SuspendOptions {
  /** From Ink: `useApp().suspendTerminal`. */
  suspendTerminal(): Promise<{ resume(): Promise<void> }>
  readonly modes: Pick<TerminalModes, 'suspend'>
}

/** A process that no shell can continue is not stopped. */
const notStoppedMs = 100

/**
 * Ctrl-Z. Gives the terminal back to the shell and stops this process, those that started it as part of the same job, and the commands of
 * its calls. After `fg` everything continues, and the screen is drawn again. Deadlines are not extended.
 */
export class Suspension {
  readonly #options: SuspendOptions
  #isSuspended = false

  /** Listens for signals until it is disposed of. */
  constructor(options: SuspendOptions) {
    this.#options = options
    process.on('SIGTSTP', this.#onStop)
    process.on('SIGCONT', this.#onContinue)
  }

  async suspend(): Promise<void> {
    await this.#withoutTerminal(async () => {
      const resumeCommands = suspendCommands()
      try {
        await stopJob(this.#onStop)
      } finally {
        resumeCommands()
      }
    })
  }

  /** A prompt has the terminal during `use`. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    if (this.#isSuspended) return await use()
    let result: Promise<T> | undefined
    await this.#withoutTerminal(async () => {
      result = use()
      // Thrown below, when the screen is drawn again.
      await result.catch(() => {})
    })
    return await result!
  }

  dispose(): void {
    process.off('SIGTSTP', this.#onStop)
    process.off('SIGCONT', this.#onContinue)
  }

  readonly #onStop = (): void => void this.suspend().catch(() => {})

  /** It was stopped without being asked, so a shell may have changed the terminal. */
  readonly #onContinue = (): void => void this.#withoutTerminal(async () => {}).catch(() => {})

  async #withoutTerminal(run: () => Promise<void>): Promise<void> {
    if (this.#isSuspended) return
    this.#isSuspended = true
    try {
      const { suspendTerminal, modes } = this.#options
      const terminal = await suspendTerminal()
      const startModes = modes.suspend()
      try {
        await run()
      } finally {
        startModes()
        await terminal.resume()
      }
    } finally {
      this.#isSuspended = false
    }
  }
}

/** Stops the job as a terminal does. Resolves when it is continued. */
async function stopJob(listener: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let onContinue = (): void => {}
  const isContinued = new Promise<void>((resolve) => {
    onContinue = resolve
    process.on('SIGCONT', onContinue)
    timer = setTimeout(resolve, notStoppedMs)
  })
  // Without a listener, the default action stops us.
  process.off('SIGTSTP', listener)
  process.kill(0, 'SIGTSTP')
  await isContinued
  clearTimeout(timer)
  process.off('SIGCONT', onContinue)
  process.on('SIGTSTP', listener)
}
