import { type CallRow, CurfewError, type Runtime } from '@curfew/core'
import type { ProcessReport } from '@curfew/core/internal'

/** What the tools for commands need of the runtime that they are registered in. */
export type CommandRuntime = Pick<
  Runtime,
  'cancel' | 'getCall' | 'getSnapshot' | 'readOutput' | 'subscribeCall'
>

export const runCommandName = 'run_command'
/** A conversation that needs more has forgotten some. */
const maxRunning = 16
/** As many as the runtime keeps rows of finished calls. */
const maxReports = 1_000

/** The commands that continue in the background, and how they ended. */
export class BackgroundCommands {
  readonly #runtime: CommandRuntime
  /** By the uid of the task. */
  readonly #reports = new Map<number, ProcessReport>()

  constructor(runtime: CommandRuntime) {
    this.#runtime = runtime
  }

  /** Throws if the conversation of the call has too many background commands. */
  assertRoom(callUid: number): void {
    const conversation = this.#runtime.getCall(callUid)?.conversation
    const running = this.#runtime
      .getSnapshot()
      .calls.filter((row) => isBackground(row, conversation) && row.status === 'executing')
    if (running.length < maxRunning) return
    const message = `expected at most ${maxRunning} commands in the background; stop one of the tasks ${running.map(({ uid }) => uid).join(', ')} with stop_command first`
    throw new CurfewError('LIMIT_EXCEEDED', message, { hadNoEffect: true, fault: 'none' })
  }

  /** Call it when a command has ended. */
  ended(callUid: number, report: ProcessReport): void {
    const task = this.#runtime.getCall(callUid)?.detachedTo ?? null
    if (task === null) return
    this.#reports.set(task, report)
    if (this.#reports.size > maxReports) this.#reports.delete(this.#reports.keys().next().value!)
  }

  /** The row of a task that the conversation of the call has started. */
  find(task: number, callUid: number): CallRow {
    const row = this.#runtime.getCall(task)
    if (row !== undefined && isBackground(row, this.#runtime.getCall(callUid)?.conversation)) return row
    const message = `task: expected the number of a command that ${runCommandName} started in the background of this conversation, got ${task}`
    throw new CurfewError('INVALID_PARAMS', message, { field: 'params.task', fault: 'none' })
  }

  /** How a task ended; `undefined` if it is running, or was stopped. */
  report(task: number): ProcessReport | undefined {
    return this.#reports.get(task)
  }
}

function isBackground(row: CallRow, conversation: string | undefined): boolean {
  return row.background && row.name === runCommandName && row.conversation === conversation
}
