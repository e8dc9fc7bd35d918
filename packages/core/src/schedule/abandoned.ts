import type { Call } from '../call/call.ts'
import type { ConflictClass } from './conflicts.ts'
import { waitsOnOverlap } from './conflicts.ts'

/** What happened behind the back of calls that had already ended. */
export interface LateCounters {
  /** Tools that ignored their signal, ever. */
  readonly abandoned: number
  /** Those of them that are still running. */
  readonly abandonedRunning: number
  /** Results that arrived after the end; none was delivered. */
  readonly lateResults: number
  readonly lateOutputs: number
}

interface Writer {
  readonly name: string
  readonly keys: readonly string[]
  readonly conflictClass: ConflictClass
}

const mostWriters = 100

/** Tools that were left running. Those that write are a danger to every call that touches the same things. */
export class Abandoned {
  readonly #writers = new Map<number, Writer>()
  readonly #counters = { abandoned: 0, abandonedRunning: 0, lateResults: 0, lateOutputs: 0 }

  add({ uid, tool, keys, conflictClass }: Call): void {
    this.#counters.abandoned++
    this.#counters.abandonedRunning++
    if (tool!.readOnly) return
    this.#writers.set(uid, { name: tool!.name, keys, conflictClass })
    if (this.#writers.size > mostWriters) this.#writers.delete(this.#writers.keys().next().value!)
  }

  late(call: Call, what: 'result' | 'output'): void {
    if (what === 'output') {
      this.#counters.lateOutputs++
      return
    }
    this.#counters.lateResults++
    this.#counters.abandonedRunning--
    this.#writers.delete(call.uid)
  }

  /** What the text of a call should say that may collide with one of them. */
  warning(call: Call): string | null {
    for (const writer of this.#writers.values()) {
      const overlap =
        writer.keys.length === 0 ||
        call.keys.length === 0 ||
        call.keys.some((key) => writer.keys.includes(key))
      if (overlap && waitsOnOverlap(writer.conflictClass, call.conflictClass)) {
        return `An earlier call of ${writer.name} was abandoned and may still be changing what this call uses.`
      }
    }
    return null
  }

  counters(): LateCounters {
    return { ...this.#counters }
  }
}
