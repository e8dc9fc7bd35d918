import { randomUUID } from 'node:crypto'
import type { Clock } from '@curfew/core/internal'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { TaskStatus } from '../client/tasks/server-task.ts'
import type { InputRequests } from './input-requests.ts'
import type { JsonObject } from './json-object.ts'

export interface ClientTaskOptions {
  readonly era: 'legacy' | 'modern'
  readonly clock: Clock
  /** The result of the call. */
  readonly result: Promise<unknown>
  /** The questions that the client has to answer. */
  readonly questions: InputRequests
  /** Cancels the call. */
  readonly cancel: (reason: Error) => void
}

type Outcome = { readonly result: CallToolResult } | { readonly error: ProtocolError }

/** How long a task is kept, from its creation. */
export const taskTtlMs = 3_600_000
/** How often a client should ask. */
const pollMs = 1_000

/** A call that runs as a task for its client, which polls it. The call has its deadline like any other. */
export class ClientTask {
  readonly id: string = randomUUID()
  readonly questions: InputRequests
  /** Resolves when the call has ended. */
  readonly ended: Promise<void>
  readonly #options: ClientTaskOptions
  readonly #createdAt: number
  readonly #startedAt: number
  #updatedAt: number
  #status: Exclude<TaskStatus, 'input_required'> = 'working'
  #message: string | undefined
  #outcome: Outcome | null = null
  /** The size of the result that is kept. */
  bytes = 0

  constructor(options: ClientTaskOptions) {
    const { clock, result, questions } = options
    this.#options = options
    this.questions = questions
    this.#createdAt = clock.wallTime()
    this.#updatedAt = this.#createdAt
    this.#startedAt = clock.now()
    this.ended = result.then(
      (value) => this.#end({ result: value as CallToolResult }),
      (error: unknown) => this.#end({ error: toProtocolError(error) }),
    )
  }

  get status(): TaskStatus {
    return this.#status === 'working' && !this.questions.isEmpty ? 'input_required' : this.#status
  }

  get hasEnded(): boolean {
    return this.#status !== 'working'
  }

  get isExpired(): boolean {
    return this.hasEnded && this.#options.clock.now() - this.#startedAt > taskTtlMs
  }

  onStatus(message: string | undefined): void {
    if (this.hasEnded || message === this.#message) return
    this.#message = message
    this.#updatedAt = this.#options.clock.wallTime()
  }

  cancel(): void {
    if (this.hasEnded) return
    this.#change('cancelled', 'The task was cancelled.')
    this.#options.cancel(new Error('the client cancelled the task'))
  }

  /** Its state for a 2025 client. */
  toTask(): JsonObject {
    return { ...this.#state(), ttl: taskTtlMs, pollInterval: pollMs }
  }

  /** Its state for a 2026 client, without the result. */
  toModernTask(): JsonObject {
    return { ...this.#state(), ttlMs: taskTtlMs, pollIntervalMs: pollMs }
  }

  /** Its state for a 2026 client, with questions, result or error. */
  toDetailedTask(): JsonObject {
    const { status } = this
    const task = this.toModernTask()
    if (status === 'input_required') return { ...task, inputRequests: this.questions.toMap() }
    if (status === 'cancelled' || this.#outcome === null) return task
    if ('result' in this.#outcome) return { ...task, result: { ...this.#outcome.result } }
    const { code, message, data } = this.#outcome.error
    return { ...task, error: { code, message, ...(data !== undefined && { data }) } }
  }

  /** The result of the call, once it has ended. Rethrows its error. */
  takeResult(): CallToolResult {
    if (this.#outcome === null)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'the task has no result')
    if ('error' in this.#outcome) throw this.#outcome.error
    return this.#outcome.result
  }

  #state(): JsonObject {
    return {
      taskId: this.id,
      status: this.status,
      ...(this.#message !== undefined && { statusMessage: this.#message }),
      createdAt: new Date(this.#createdAt).toISOString(),
      lastUpdatedAt: new Date(this.#updatedAt).toISOString(),
    }
  }

  #end(outcome: Outcome): void {
    this.#outcome = outcome
    this.bytes = JSON.stringify(outcome).length
    if (this.hasEnded) return
    // A tool that reported an error has failed in the 2025 protocol, but completed in the 2026 protocol.
    const isFailed = 'error' in outcome || (this.#options.era === 'legacy' && outcome.result.isError === true)
    this.#change(isFailed ? 'failed' : 'completed', 'error' in outcome ? outcome.error.message : undefined)
  }

  #change(status: 'completed' | 'failed' | 'cancelled', message: string | undefined): void {
    this.#status = status
    this.#message = message
    this.#updatedAt = this.#options.clock.wallTime()
  }
}

function toProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    error instanceof Error ? error.message : String(error),
  )
}
