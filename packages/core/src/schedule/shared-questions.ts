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
interface OpenQuestion extends Asked {
  /** For which tools it was asked; `null` is the model. */
  readonly tools: Set<string | null>
  waiting: number
}

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

  /** Waits for the answer that others wait for already, or puts the question. Nobody waits any more: it is taken back. */
  async join(call: Call, name: string, tool: string | null, put: () => Asked): Promise<void> {
    let open = this.#open.get(name)
    if (open === undefined) {
      const { answer, withdraw } = put()
      const close = (): void => void this.#open.delete(name)
      open = {
        answer: answer.finally(close),
        tools: new Set(),
        waiting: 0,
        withdraw() {
          close()
          withdraw()
        },
      }
      this.#open.set(name, open)
    }
    const joined = open
    joined.tools.add(tool)
    joined.waiting++
    await this.waitFor(call, joined.answer, () => {
      if (--joined.waiting === 0) joined.withdraw()
    })
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
      onStop()
      leave(new CurfewError('CANCELLED', `${call.name} was stopped`))
    }
    const expiry = clock.setTimer(approvalTimeout + 1_000, () => {
      onStop()
      leave(
        new CurfewError('SECRETS_UNAVAILABLE', `${call.name} needs a secret, and the vault did not answer`),
      )
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
