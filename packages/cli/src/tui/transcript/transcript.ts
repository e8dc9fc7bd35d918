import type { RenderOptions } from '../markdown/render-context.ts'
import { StateStore } from '../state-store.ts'

/** How lines are formatted. */
export interface Layout extends RenderOptions {
  /** Only words, without marks and frames: the lines are read aloud, or by a program. */
  readonly isSpoken?: boolean
  /** The terminal has shown what the person typed. */
  readonly isEchoed?: boolean
}

/** Something that is finished: it is printed once, to the terminal's own scrollback. */
export interface TranscriptItem {
  readonly id: number
  /** Styled lines of at most `width` columns. */
  readonly lines: (layout: Layout) => readonly string[]
}

/** What the terminal prints above the live region. */
export interface TranscriptSnapshot {
  /** Changes when printed items were dropped: the items are then all new. */
  readonly generation: number
  /** Only grows within a generation. */
  readonly items: readonly TranscriptItem[]
}

/** At most so many items are printed at once. Printed ones are dropped in blocks of this size, so that memory does not grow with the conversation. */
const maxItems = 200

/** Collects finished items in order. They are printed with `flush`, together with what changes in the live region. */
export class Transcript {
  readonly #printed = new StateStore<TranscriptSnapshot>({ generation: 0, items: [] })
  #waiting: TranscriptItem[] = []
  #lastId = 0
  /** While it is true, items wait, such as behind the list of calls. */
  isHeld = false

  readonly subscribe: (listener: () => void) => () => void = this.#printed.subscribe

  readonly getSnapshot: () => TranscriptSnapshot = this.#printed.getSnapshot

  add(lines: TranscriptItem['lines']): void {
    this.#waiting.push({ id: ++this.#lastId, lines })
  }

  /** Prints what waits, as much as does not delay keys noticeably. Returns whether there is more. */
  flush(): boolean {
    if (this.isHeld || this.#waiting.length === 0) return false
    const { generation, items } = this.getSnapshot()
    const isFull = items.length >= maxItems
    const printed = this.#waiting.slice(0, maxItems)
    this.#waiting = this.#waiting.slice(maxItems)
    this.#printed.set({
      generation: isFull ? generation + 1 : generation,
      items: isFull ? printed : [...items, ...printed],
    })
    return this.#waiting.length > 0
  }
}
