import { emptyText, type TextState } from './text-state.ts'
import { UndoStack } from './undo-stack.ts'

/** A text that is being edited, with its own undo steps. */
export interface Draft {
  state: TextState
  readonly undo: UndoStack
}

export function newDraft(state: TextState = emptyText): Draft {
  return { state, undo: new UndoStack() }
}

/** Where a person is in the history. Their draft comes after the newest entry. Changed entries are kept until something is submitted. */
export class HistoryPosition {
  /** How many entries back; 0 is the draft. */
  #back = 0
  readonly #changed = new Map<number, Draft>()

  /** The draft that was shown before, or a new one with the entry; `null` if there is none in this direction. */
  step(
    direction: 'older' | 'newer',
    current: Draft,
    entries: readonly string[],
    open: (entry: string) => Draft,
  ): Draft | null {
    const next = this.#back + (direction === 'older' ? 1 : -1)
    if (next < 0 || next > entries.length) return null
    const isChanged = this.#back === 0 || current.undo.states().length > 0
    if (isChanged) this.#changed.set(this.#back, current)
    this.#back = next
    return this.#changed.get(next) ?? open(entries[entries.length - next]!)
  }

  reset(): void {
    this.#back = 0
    this.#changed.clear()
  }

  drafts(): Iterable<Draft> {
    return this.#changed.values()
  }
}
