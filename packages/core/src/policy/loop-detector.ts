import { hash } from 'node:crypto'
import { canonicalJson } from '../json/canonical-json.ts'

export interface LoopOptions {
  /** The number of equal rounds after which the model is warned. */
  readonly nudgeAfter: number
  /** The number of equal rounds after which the next equal call ends with `LOOP_DETECTED`; `Infinity` disables it. */
  readonly stopAfter: number
}

interface Entry {
  /** Tool and arguments. */
  readonly call: string
  /** Tool, arguments and result. */
  readonly outcome: string
}

const maxCycle = 5

/** Detects the same calls with the same results, in cycles of one to five. There is one per turn. */
export class LoopDetector {
  readonly #options: LoopOptions
  readonly #history: Entry[] = []
  /** More rounds than this make no difference. */
  readonly #maxRounds: number

  constructor(options: LoopOptions) {
    this.#options = options
    this.#maxRounds = Math.max(options.nudgeAfter, Number.isFinite(options.stopAfter) ? options.stopAfter : 0)
  }

  /**
   * Whether this call continues a cycle that was repeated too often. It is then recorded as another repetition, so that the
   * rest of the cycle is detected as well.
   */
  isLoop(call: string): boolean {
    for (let cycle = 1; cycle <= maxCycle; cycle++) {
      const expected = this.#history.at(-cycle)
      if (expected?.call === call && this.#rounds(cycle) >= this.#options.stopAfter) {
        this.#push(expected)
        return true
      }
    }
    return false
  }

  /** Records the result of a call. Returns whether the model should be warned of a loop. */
  record(call: string, result: string): boolean {
    this.#push({ call, outcome: shorten(`${call}\0${result}`) })
    for (let cycle = 1; cycle <= maxCycle; cycle++) {
      if (this.#rounds(cycle) >= this.#options.nudgeAfter) return true
    }
    return false
  }

  #push(entry: Entry): void {
    const maxLength = maxCycle * (this.#maxRounds + 1)
    this.#history.push(entry)
    if (this.#history.length > 2 * maxLength) this.#history.splice(0, this.#history.length - maxLength)
  }

  /** How often the last `cycle` entries are repeated at the end of the history. */
  #rounds(cycle: number): number {
    const history = this.#history
    let matched = 0
    for (let at = history.length - 1; at - cycle >= 0; at--) {
      if (history[at]!.outcome !== history[at - cycle]!.outcome) break
      if (++matched >= cycle * this.#maxRounds) break
    }
    return Math.floor(matched / cycle) + (history.length >= cycle ? 1 : 0)
  }
}

/** A short string that identifies a tool with its arguments. */
export function callKey(name: string, params: unknown): string {
  return shorten(`${name}\0${canonicalJson(params)}`)
}

/** Long strings are hashed, because they are kept for the whole turn. */
function shorten(text: string): string {
  return text.length <= 64 ? text : hash('sha256', text, 'base64')
}
