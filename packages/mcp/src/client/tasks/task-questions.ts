import type { BridgedMethod } from '../connection/client-bridge.ts'
import { UpstreamError } from '../errors/upstream-error.ts'

type Fields = Readonly<Record<string, unknown>>

export interface TaskQuestionsOptions {
  readonly server: string
  readonly ask: (
    method: BridgedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ) => Promise<Fields>
  /** Sends an answer to the server. */
  readonly send: (answers: Fields) => Promise<unknown>
}

const methods: ReadonlySet<unknown> = new Set<BridgedMethod>([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
])
/** For one task; further ones fail it. */
const maxQuestions = 100

/** Answers the questions of a task, each once, while its status continues to be polled. */
export class TaskQuestions {
  readonly #options: TaskQuestionsOptions
  readonly #keys = new Set<string>()
  readonly #closing = new AbortController()
  /** Rejects if a question cannot be answered. */
  readonly failure: Promise<never>
  readonly #fail: (error: unknown) => void
  #onAnswer: () => void = () => {}

  constructor(options: TaskQuestionsOptions) {
    this.#options = options
    const { promise, reject } = Promise.withResolvers<never>()
    this.failure = promise
    this.#fail = reject
    this.failure.catch(() => {})
  }

  /** Asks those that have not been asked. */
  open(inputRequests: Fields): void {
    for (const [key, request] of Object.entries(inputRequests)) {
      if (this.#keys.has(key)) continue
      this.#keys.add(key)
      this.#answer(key, request).catch(this.#fail)
    }
  }

  /** Resolves when the server has got another answer. */
  nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnswer = resolve
    })
  }

  /** Withdraws the open questions. */
  close(): void {
    this.#closing.abort(new Error('the task has ended'))
  }

  async #answer(key: string, request: unknown): Promise<void> {
    const { server, ask, send } = this.#options
    const { method, params } = Object(request) as Fields
    if (this.#keys.size > maxQuestions)
      throw new UpstreamError('INVALID_RESULT', server, `asked more than ${maxQuestions} questions in a task`)
    if (!methods.has(method))
      throw new UpstreamError('INVALID_RESULT', server, 'sent a question of an unknown kind in a task')
    const { signal } = this.#closing
    const answer = await ask(method as BridgedMethod, { ...Object(params) }, signal)
    if (signal.aborted) return
    await send({ [key]: answer })
    this.#onAnswer()
  }
}
