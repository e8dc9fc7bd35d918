import type { Runtime, Transition } from '@curfew/core'
import { showInput } from './activity.ts'

/** The state changes of calls, until they are shown in the order of the agent's events. */
export class CallLog {
  readonly #waiting = new Map<number, Transition[]>()
  /** The arguments of live calls. */
  readonly #inputs = new Map<number, unknown>()

  constructor(runtime: Pick<Runtime, 'onTransition'>) {
    runtime.onTransition((transition) => {
      const { uid, state, call } = transition
      const earlier = this.#waiting.get(uid)
      if (earlier === undefined) this.#waiting.set(uid, [transition])
      else earlier.push(transition)
      if ('result' in state) this.#inputs.delete(uid)
      else this.#inputs.set(uid, call.args)
    })
  }

  /** The arguments of a live call in one short line. */
  argsOf(uid: number): string {
    return showInput(this.#inputs.get(uid))
  }

  take(uid: number): readonly Transition[] {
    const taken = this.#waiting.get(uid) ?? []
    this.#waiting.delete(uid)
    return taken
  }

  takeAll(): readonly Transition[] {
    const taken = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    return taken
  }
}
