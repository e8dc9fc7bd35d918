import type { ConflictClass } from '../order/conflicts.ts'
import { touchesNothing, waitsOnOverlap } from '../order/conflicts.ts'
import type { Call } from '../store/call.ts'
import type { Transition } from '../store/call-store.ts'

/** Events after the end of a call. */
export interface LateCounters {
  /** Tools that ignored their signal, in total. */
  readonly abandoned: number
  /** Abandoned tools that are still running. */
  readonly abandonedRunning: number
  /** Results that arrived after the end and were dropped. */
  readonly lateResults: number
  readonly lateOutputs: number
}

/** An abandoned tool that has ended after all. Its result is dropped. */
export interface LateEnd extends Pick<Transition, 'uid' | 'id' | 'name' | 'at'> {
  readonly outcome: 'returned' | 'threw'
  /** Milliseconds since 1970. */
  readonly wallTime: number
}

interface Writer {
  readonly name: string
  readonly keys: readonly string[]
  readonly conflictClass: ConflictClass
}

const maxWriters = 100

/** Calls whose tools were left running. Those that are not read-only may conflict with later calls. */
export class AbandonedCalls {
  readonly #writers = new Map<number, Writer>()
  readonly #counters = { abandoned: 0, abandonedRunning: 0, lateResults: 0, lateOutputs: 0 }

  add({ uid, tool, keys, conflictClass }: Call): void {
    this.#counters.abandoned++
    this.#counters.abandonedRunning++
    if (tool!.readOnly || conflictClass === touchesNothing) return
    this.#writers.set(uid, { name: tool!.name, keys, conflictClass })
    if (this.#writers.size > maxWriters) this.#writers.delete(this.#writers.keys().next().value!)
  }

  onLate(call: Call, kind: 'result' | 'output'): void {
    if (kind === 'output') {
      this.#counters.lateOutputs++
      return
    }
    this.#counters.lateResults++
    this.#counters.abandonedRunning--
    this.#writers.delete(call.uid)
  }

  /** The notice for a call that may conflict with an abandoned one. */
  warning(call: Call): string | null {
    for (const writer of this.#writers.values()) {
      const overlap =
        writer.keys.length === 0 ||
        call.keys.length === 0 ||
        call.keys.some((key) => writer.keys.includes(key))
      if (overlap && waitsOnOverlap(writer.conflictClass, call.conflictClass)) {
        return `An earlier call to ${writer.name} was abandoned and may still be changing what this call uses.`
      }
    }
    return null
  }

  counters(): LateCounters {
    return { ...this.#counters }
  }
}
