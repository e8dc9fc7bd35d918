import { hash } from 'node:crypto'
import { canonicalJson } from '../json/canonical-json.ts'

export interface LoopOptions {
  /** After so many equal rounds the model is told. */
  readonly nudgeAfter: number
  /** After so many, the next equal call ends with `LOOP_DETECTED`; `Infinity`: never. */
  readonly stopAfter: number
}

interface Entry {
  /** Tool and arguments. */
  readonly call: string
  /** Tool, arguments and result. */
  readonly outcome: string
}

const longestCycle = 5

/** Sees the same calls with the same results coming round again, in cycles of one to five. One per turn. */
export class LoopDetector {
  readonly #options: LoopOptions
  readonly #history: Entry[] = []
  /** More rounds than this make no difference. */
  readonly #mostRounds: number

  constructor(options: LoopOptions) {
    this.#options = options
    this.#mostRounds = Math.max(
      options.nudgeAfter,
      Number.isFinite(options.stopAfter) ? options.stopAfter : 0,
    )
  }

  /**
   * Would this call be the next of a cycle that has gone round too often? Then it counts as having
   * gone round once more, so that the rest of the cycle is caught as well.
   */
  isLoop(call: string): boolean {
    for (let cycle = 1; cycle <= longestCycle; cycle++) {
      const expected = this.#history.at(-cycle)
      if (expected?.call === call && this.#rounds(cycle) >= this.#options.stopAfter) {
        this.#push(expected)
        return true
      }
    }
    return false
  }

  /** Takes in what a call came to; says whether the model should be told that it is going round in circles. */
  record(call: string, result: string): boolean {
    this.#push({ call, outcome: shorten(`${call}\0${result}`) })
    for (let cycle = 1; cycle <= longestCycle; cycle++) {
      if (this.#rounds(cycle) >= this.#options.nudgeAfter) return true
    }
    return false
  }

  #push(entry: Entry): void {
    const most = longestCycle * (this.#mostRounds + 1)
    this.#history.push(entry)
    if (this.#history.length > 2 * most) this.#history.splice(0, this.#history.length - most)
  }

  /** How often the last `cycle` entries stand in a row at the end of the history. */
  #rounds(cycle: number): number {
    const history = this.#history
    let matched = 0
    for (let at = history.length - 1; at - cycle >= 0; at--) {
      if (history[at]!.outcome !== history[at - cycle]!.outcome) break
      if (++matched >= cycle * this.#mostRounds) break
    }
    return Math.floor(matched / cycle) + (history.length >= cycle ? 1 : 0)
  }
}

/** The same tool with the same arguments, as a short text. */
export function callKey(name: string, params: unknown): string {
  return shorten(`${name}\0${canonicalJson(params)}`)
}

/** Two texts are the same if these are. Turns are remembered for long, so they must be short. */
function shorten(text: string): string {
  return text.length <= 64 ? text : hash('sha256', text, 'base64')
}
