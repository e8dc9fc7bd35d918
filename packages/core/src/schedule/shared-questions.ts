import type { SecretQuestion, SecretUseQuestion } from '../call/question.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import type { AskOutcome, AskPerson } from '../policy/ask-person.ts'
import type { Call } from '../store/call.ts'
import { addWithdrawal } from './withdrawals.ts'

/** A question about a secret that a person has been asked. */
export interface SecretPrompt {
  readonly answer: Promise<void>
  withdraw(): void
}

/** A question whose answer one or more calls wait for. */
interface SharedQuestion {
  readonly name: string
  /** The call that asked first. */
  readonly asker: Call
  /** Never rejects. */
  readonly outcome: Promise<Outcome>
  /** The tools that it was asked for; `null` is the model. */
  readonly tools: Set<string | null>
  waiting: number
  /** Closes the question before its answer. */
  close(outcome: 'withdrawn' | 'answered'): void
}

type Outcome =
  | { readonly kind: 'answered' | 'withdrawn' }
  | { readonly kind: 'failed'; readonly error: unknown }

/**
 * Questions about secrets. Calls of one client that need the same answer share one question; each client is asked separately, so
 * that nobody waits for someone else's answer, but the first answer counts for all.
 */
export class SharedQuestions {
  readonly #settings: Pick<RuntimeSettings, 'clock' | 'approvalTimeout'>
  readonly #person: AskPerson
  readonly #pause: (call: Call) => () => void
  /** By client and name. */
  readonly #open = new Map<string, SharedQuestion>()

  constructor(
    settings: Pick<RuntimeSettings, 'clock' | 'approvalTimeout'>,
    person: AskPerson,
    pause: (call: Call) => () => void,
  ) {
    this.#settings = settings
    this.#person = person
    this.#pause = pause
  }

  /** The tools that this question is open for; `null` if the call's client is not being asked. */
  askedFor(call: Call, name: string): ReadonlySet<string | null> | null {
    return this.#open.get(keyOf(call, name))?.tools ?? null
  }

  /**
   * Joins the open question with this name, or asks it. It is withdrawn when the call that asked it ends. Another turn may
   * belong to another person, so its answer counts here, but its refusal does not.
   */
  async join(call: Call, name: string, tool: string | null, ask: () => SecretPrompt): Promise<void> {
    for (;;) {
      const open = this.#open.get(keyOf(call, name)) ?? this.#openQuestion(call, name, ask)
      open.tools.add(tool)
      open.waiting++
      const outcome = await this.waitFor(call, open.outcome, () => {
        if (--open.waiting === 0 || open.asker === call) open.close('withdrawn')
      })
      if (outcome.kind === 'answered') return
      if (outcome.kind === 'failed' && open.asker.batch.turn.root === call.batch.turn.root)
        throw outcome.error
    }
  }

  #openQuestion(asker: Call, name: string, ask: () => SecretPrompt): SharedQuestion {
    const asked = ask()
    const key = keyOf(asker, name)
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<Outcome>()
    const remove = (): void => {
      if (this.#open.get(key) === open) this.#open.delete(key)
    }
    const answered = asked.answer.finally(remove).then(
      (): Outcome => {
        this.#onAnswered(name)
        return { kind: 'answered' }
      },
      (error: unknown): Outcome => ({ kind: 'failed', error }),
    )
    const open: SharedQuestion = {
      name,
      asker,
      outcome: Promise.race([answered, closed]),
      tools: new Set(),
      waiting: 0,
      close(kind) {
        remove()
        asked.withdraw()
        onClosed({ kind })
      },
    }
    this.#open.set(key, open)
    return open
  }

  /** Other clients need not answer any more. */
  #onAnswered(name: string): void {
    for (const open of [...this.#open.values()]) if (open.name === name) open.close('answered')
  }

  /** Waits with the call's clocks paused, because a person may have to answer. A call that is stopped stops waiting. */
  async waitFor<T>(call: Call, answer: Promise<T>, onStop: () => void = () => {}): Promise<T> {
    const { clock, approvalTimeout } = this.#settings
    const resume = this.#pause(call)
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const stopWaiting = (error: CurfewError): void => {
      reject(error)
      onStop()
    }
    const expiry = clock.setTimer(approvalTimeout + 1_000, () => {
      const message = `${call.name} requires a secret, and the vault did not respond`
      stopWaiting(new CurfewError('SECRETS_UNAVAILABLE', message))
    })
    const unregister = addWithdrawal(call, () =>
      stopWaiting(new CurfewError('CANCELLED', `${call.name} was stopped`)),
    )
    try {
      return await Promise.race([answer, stopped])
    } finally {
      unregister()
      clock.clearTimer(expiry)
      resume()
    }
  }

  ask(
    call: Call,
    question: SecretQuestion | SecretUseQuestion,
  ): { outcome: Promise<AskOutcome>; withdraw(): void } {
    const { promise: outcome, resolve } = Promise.withResolvers<AskOutcome>()
    return { outcome, withdraw: this.#person.ask(question, call.batch.turn.conversation, resolve) }
  }
}

function keyOf({ batch }: Call, name: string): string {
  return JSON.stringify([batch.turn.conversation.client, name])
}
