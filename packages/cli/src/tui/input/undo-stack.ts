import type { TextState } from './text-state.ts'

const maxSteps = 200

/** Former states of one text. Consecutive changes of the same group are one step. */
export class UndoStack {
  #undo: TextState[] = []
  #redo: TextState[] = []
  #group: string | null = null

  /** To be called before a change. */
  record(state: TextState, group: string | null = null): void {
    const isSameStep = group !== null && group === this.#group
    this.#group = group
    this.#redo = []
    if (isSameStep) return
    this.#undo.push(state)
    if (this.#undo.length > maxSteps) this.#undo.shift()
  }

  /** The next change starts a step of its own. */
  endGroup(): void {
    this.#group = null
  }

  undo(current: TextState): TextState | null {
    return this.#step(this.#undo, this.#redo, current)
  }

  redo(current: TextState): TextState | null {
    return this.#step(this.#redo, this.#undo, current)
  }

  /** All states that can come back. */
  states(): readonly TextState[] {
    return [...this.#undo, ...this.#redo]
  }

  #step(from: TextState[], to: TextState[], current: TextState): TextState | null {
    this.#group = null
    const state = from.pop()
    if (state === undefined) return null
    to.push(current)
    return state
  }
}
