import type { Call } from '../call/call.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { AskOutcome, AskPerson } from '../policy/ask-person.ts'
import type { SecretQuestion, SecretUseQuestion } from '../policy/question.ts'
import type { RuntimeSettings } from '../runtime/runtime-options.ts'

/** A question that was put. */
export interface Asked {
  readonly answer: Promise<void>
  withdraw(): void
}

/** One question, however many calls wait for its answer. */
interface OpenQuestion {
  /** The call that it was put for. */
  readonly asker: Call
  /** What it came to. Never rejects. */
  readonly outcome: Promise<Outcome>
  /** For which tools it was asked; `null` is the model. */
  readonly tools: Set<string | null>
  waiting: number
  withdraw(): void
}

type Outcome =
  | { readonly kind: 'answered' | 'withdrawn' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Questions about secrets. Calls that need the same answer wait for it together. */
export class SharedQuestions {
  readonly #settings: Pick<RuntimeSettings, 'clock' | 'approvalTimeout'>
  readonly #person: AskPerson
  readonly #pause: (call: Call) => () => void
  readonly #open = new Map<string, OpenQuestion>()

  constructor(
    settings: Pick<RuntimeSettings, 'clock' | 'approvalTimeout'>,
    person: AskPerson,
    pause: (call: Call) => () => void,
  ) {
    this.#settings = settings
    this.#person = person
    this.#pause = pause
  }

  /** For which tools this question is open; `null` if it is not. */
  askedFor(name: string): ReadonlySet<string | null> | null {
    return this.#open.get(name)?.tools ?? null
  }

  /**
   * Waits for the answer that others wait for already, or puts the question. It is taken back with the call that it was put
   * for. Another turn may have another person behind it: only what they give counts here, not that they gave nothing.
   */
  async join(call: Call, name: string, tool: string | null, put: () => Asked): Promise<void> {
    for (;;) {
      const open = this.#open.get(name) ?? this.#put(call, name, put)
      open.tools.add(tool)
      open.waiting++
      const outcome = await this.waitFor(call, open.outcome, () => {
        if (--open.waiting === 0 || open.asker === call) open.withdraw()
      })
      if (outcome.kind === 'answered') return
      if (outcome.kind === 'failed' && open.asker.batch.turn === call.batch.turn) throw outcome.error
    }
  }

  #put(asker: Call, name: string, put: () => Asked): OpenQuestion {
    const asked = put()
    let onWithdrawn = (_outcome: Outcome): void => {}
    const withdrawn = new Promise<Outcome>((resolve) => {
      onWithdrawn = resolve
    })
    const answered = asked.answer.then(
      (): Outcome => ({ kind: 'answered' }),
      (error: unknown): Outcome => ({ kind: 'failed', error }),
    )
    const close = (): void => {
      if (this.#open.get(name) === open) this.#open.delete(name)
    }
    const open: OpenQuestion = {
      asker,
      outcome: Promise.race([answered.finally(close), withdrawn]),
      tools: new Set(),
      waiting: 0,
      withdraw() {
        close()
        asked.withdraw()
        onWithdrawn({ kind: 'withdrawn' })
      },
    }
    this.#open.set(name, open)
    return open
  }

  /** Clocks stand still meanwhile: there may be a person at the other end. A call that is stopped does not wait any longer. */
  async waitFor<T>(call: Call, answer: Promise<T>, onStop: () => void = () => {}): Promise<T> {
    const { clock, approvalTimeout } = this.#settings
    const resume = this.#pause(call)
    let leave = (_error: CurfewError): void => {}
    const left = new Promise<never>((_resolve, reject) => {
      leave = reject
    })
    const takeBack = (): void => {
      leave(new CurfewError('CANCELLED', `${call.name} was stopped`))
      onStop()
    }
    const expiry = clock.setTimer(approvalTimeout + 1_000, () => {
      leave(
        new CurfewError('SECRETS_UNAVAILABLE', `${call.name} needs a secret, and the vault did not answer`),
      )
      onStop()
    })
    call.withdrawals = (call.withdrawals ?? new Set()).add(takeBack)
    try {
      return await Promise.race([answer, left])
    } finally {
      call.withdrawals?.delete(takeBack)
      clock.clearTimer(expiry)
      resume()
    }
  }

  put(question: SecretQuestion | SecretUseQuestion): { outcome: Promise<AskOutcome>; withdraw(): void } {
    let withdraw = (): void => {}
    const outcome = new Promise<AskOutcome>((resolve) => {
      const open = this.#person.ask(question, resolve)
      withdraw = () => open.withdraw()
    })
    return { outcome, withdraw }
  }
}
