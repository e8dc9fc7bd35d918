import type { Answer, Question, QuestionHandler, QuestionIdentity } from '../call/question.ts'
import type { Clock } from '../clock/clock.ts'

export type AskOutcome =
  | { readonly kind: 'answered'; readonly answer: Exclude<Answer, undefined> }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'expired' }

/** Where a question comes from: a conversation, which may run inside another one. */
export interface QuestionScope {
  readonly id: string
  readonly client: string | null
  readonly parent: QuestionScope | null
  /** The handlers that see only questions of this scope and of those inside it. Created on first use. */
  handlers: QuestionHandlers | null
}

export type QuestionHandlers = Set<AddedHandler>

interface AddedHandler {
  readonly handler: QuestionHandler
}

/** Called when the list of open questions changes. */
export interface QuestionListener {
  opened(question: Question): void
  closed(id: number): void
}

const ignored: QuestionListener = { opened() {}, closed() {} }

/** How long a question stays open by default. */
export const defaultApprovalTimeoutMs = 600_000

/**
 * The open questions. Each is passed to all handlers that may see it, also to those that are added later; the first answer
 * counts. Without handlers, or if all of them fail or return `undefined`, the outcome is `unanswered`, which denies the
 * request.
 */
export class AskPerson {
  readonly #clock: Clock
  readonly #expiryMs: number
  readonly #report: (message: string, error: unknown) => void
  readonly #listener: QuestionListener
  /** The handlers that see every question. */
  readonly #handlers: QuestionHandlers = new Set()
  readonly #open = new Map<number, AskedQuestion>()
  #lastId = 0

  constructor(
    clock: Clock,
    expiryMs: number,
    report: (message: string, error: unknown) => void,
    listener: QuestionListener = ignored,
  ) {
    this.#clock = clock
    this.#expiryMs = expiryMs
    this.#report = report
    this.#listener = listener
  }

  /** The fields that identify a new question. */
  identify({ id, client }: QuestionScope): QuestionIdentity {
    return { id: ++this.#lastId, conversation: id, client }
  }

  /** Adds a handler for the questions of a scope, or for all. Returns a function that removes it. */
  addHandler(handler: QuestionHandler, scope: QuestionScope | null = null): () => void {
    // An object, so that a handler that is added twice has to be removed twice.
    const added: AddedHandler = { handler }
    if (scope !== null) scope.handlers ??= new Set()
    const handlers = scope === null ? this.#handlers : scope.handlers!
    handlers.add(added)
    for (const question of [...this.#open.values()]) {
      if (scope === null || question.isWithin(scope)) this.#offer(question, added)
    }
    return () => {
      handlers.delete(added)
      for (const question of [...this.#open.values()]) question.remove(added)
    }
  }

  /** Returns a function that withdraws the question, so that `onOutcome` is no longer called. */
  ask(question: Question, scope: QuestionScope, onOutcome: (outcome: AskOutcome) => void): () => void {
    const close = (): void => {
      this.#open.delete(question.id)
      this.#clock.clearTimer(expiry)
      this.#listener.closed(question.id)
    }
    const asked = new AskedQuestion(question, scope, close, onOutcome)
    const expiry = this.#clock.setTimer(this.#expiryMs, () => asked.settle({ kind: 'expired' }))
    this.#open.set(question.id, asked)
    this.#listener.opened(question)
    for (const handlers of [this.#handlers, ...scopedHandlers(scope)]) {
      for (const added of handlers) this.#offer(asked, added)
    }
    // Asynchronous, because the call is not waiting yet.
    void Promise.resolve().then(() => asked.settleIfNobodyAnswers())
    return () => asked.withdraw()
  }

  /** Answers an open question. Returns false if it is no longer open. */
  answer(id: number, answer: Exclude<Answer, undefined>): boolean {
    const asked = this.#open.get(id)
    if (asked === undefined) return false
    asked.settle({ kind: 'answered', answer })
    return true
  }

  #offer(asked: AskedQuestion, added: AddedHandler): void {
    const signal = asked.add(added)
    void this.#answerOf(asked.question, added.handler, signal).then((answer) => {
      if (signal.aborted || answer === 'later') return
      if (answer === undefined) asked.remove(added)
      else asked.settle({ kind: 'answered', answer })
    })
  }

  async #answerOf(question: Question, handler: QuestionHandler, signal: AbortSignal): Promise<Answer> {
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

function scopedHandlers(scope: QuestionScope): QuestionHandlers[] {
  const all: QuestionHandlers[] = []
  for (let next: QuestionScope | null = scope; next !== null; next = next.parent) {
    if (next.handlers !== null) all.push(next.handlers)
  }
  return all
}

/** An open question and the handlers that may still answer it. */
class AskedQuestion {
  readonly question: Question
  readonly #scope: QuestionScope
  readonly #onClose: () => void
  readonly #onOutcome: (outcome: AskOutcome) => void
  readonly #waitingFor = new Map<AddedHandler, AbortController>()
  #open = true

  constructor(
    question: Question,
    scope: QuestionScope,
    onClose: () => void,
    onOutcome: (outcome: AskOutcome) => void,
  ) {
    this.question = question
    this.#scope = scope
    this.#onClose = onClose
    this.#onOutcome = onOutcome
  }

  isWithin(scope: QuestionScope): boolean {
    for (let next: QuestionScope | null = this.#scope; next !== null; next = next.parent) {
      if (next === scope) return true
    }
    return false
  }

  add(handler: AddedHandler): AbortSignal {
    const controller = new AbortController()
    this.#waitingFor.set(handler, controller)
    return controller.signal
  }

  /** The handler does not answer, or was removed. */
  remove(handler: AddedHandler): void {
    const controller = this.#waitingFor.get(handler)
    if (controller === undefined) return
    this.#waitingFor.delete(handler)
    controller.abort()
    this.settleIfNobodyAnswers()
  }

  settleIfNobodyAnswers(): void {
    if (this.#waitingFor.size === 0) this.settle({ kind: 'unanswered' })
  }

  settle(outcome: AskOutcome): void {
    if (!this.#open) return
    this.#close()
    this.#onOutcome(outcome)
  }

  withdraw(): void {
    if (this.#open) this.#close()
  }

  #close(): void {
    this.#open = false
    this.#onClose()
    for (const controller of this.#waitingFor.values()) controller.abort()
    this.#waitingFor.clear()
  }
}
