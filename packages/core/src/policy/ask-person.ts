import type { Answer, Question, QuestionHandler } from '../call/question.ts'
import type { Clock } from '../clock/clock.ts'

export type AskOutcome =
  | { readonly kind: 'answered'; readonly answer: Exclude<Answer, undefined> }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'expired' }

export interface OpenQuestion {
  /** Answers on behalf of the person. */
  answer(answer: Exclude<Answer, undefined>): void
  /** Withdraws the question; `onOutcome` is no longer called. */
  withdraw(): void
}

/** How long a question stays open by default. */
export const defaultApprovalTimeoutMs = 600_000

/**
 * Passes a question to all handlers; the first answer counts. Without handlers, or if all of them fail or return
 * `undefined`, the outcome is `unanswered`, which denies the request.
 */
export class AskPerson {
  readonly #clock: Clock
  readonly #expiryMs: number
  readonly #report: (message: string, error: unknown) => void
  readonly #handlers = new Set<QuestionHandler>()

  constructor(clock: Clock, expiryMs: number, report: (message: string, error: unknown) => void) {
    this.#clock = clock
    this.#expiryMs = expiryMs
    this.#report = report
  }

  addHandler(handler: QuestionHandler): () => void {
    // Wrapped, so that a handler that is added twice has to be removed twice.
    const added: QuestionHandler = (question, context) => handler(question, context)
    this.#handlers.add(added)
    return () => {
      this.#handlers.delete(added)
    }
  }

  ask(question: Question, onOutcome: (outcome: AskOutcome) => void): OpenQuestion {
    const controller = new AbortController()
    let open = true
    const close = (): void => {
      open = false
      this.#clock.clearTimer(expiry)
      controller.abort()
    }
    const settle = (outcome: AskOutcome): void => {
      if (!open) return
      close()
      onOutcome(outcome)
    }
    const expiry = this.#clock.setTimer(this.#expiryMs, () => settle({ kind: 'expired' }))
    const answers = [...this.#handlers].map(async (handler) => {
      const answer = await this.#answerOf(handler, question, controller.signal)
      if (answer !== undefined) settle({ kind: 'answered', answer })
    })
    void Promise.all(answers).then(() => settle({ kind: 'unanswered' }))
    return {
      answer: (answer) => settle({ kind: 'answered', answer }),
      withdraw: () => {
        if (open) close()
      },
    }
  }

  async #answerOf(handler: QuestionHandler, question: Question, signal: AbortSignal): Promise<Answer> {
    // Asynchronous, because a handler may cancel the call that is about to wait for it.
    await undefined
    if (signal.aborted) return undefined
    try {
      return await handler(question, { signal })
    } catch (error) {
      if (!signal.aborted) this.#report(`a question handler failed for ${question.tool}`, error)
      return undefined
    }
  }
}
