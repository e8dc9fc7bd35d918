import { groupDigits } from '../../group-digits.ts'
import { cleanInput } from './clean-input.ts'
import { type Draft, newDraft } from './history-position.ts'
import { isLongPaste, maxPasteLength, PastedTexts } from './pasted-texts.ts'
import {
  type Deletion,
  emptyText,
  insert,
  type Movement,
  move,
  remove,
  replaceRange,
  type TextState,
} from './text-state.ts'
import { columnOf, cursorIn, rowOf, type Wrapping, wrapInput } from './wrap-input.ts'

/** Longer text is collapsed or rejected, so that each key takes little time. */
const maxInlineLength = 20_000

/** Edits one text: typing, deleting, pasting, undo. Methods that change the text return a notice if they could not. */
export class DraftEditor {
  readonly pastes: PastedTexts = new PastedTexts()
  readonly #otherDrafts: () => Iterable<Draft>
  #draft = newDraft()
  #killed = ''
  /** Whether the last command deleted text that can be yanked; the next one adds to it. */
  #isKilling = false
  /** The column that moving up and down tries to keep. */
  #column: number | null = null

  /** `otherDrafts` may be opened later, so their pastes are kept. */
  constructor(otherDrafts: () => Iterable<Draft>) {
    this.#otherDrafts = otherDrafts
  }

  get draft(): Draft {
    return this.#draft
  }

  get state(): TextState {
    return this.#draft.state
  }

  /** With collapsed pastes as they were pasted. */
  get text(): string {
    return this.pastes.expand(this.state.text)
  }

  open(draft: Draft): void {
    this.#draft = draft
    this.#endCommand()
  }

  /** Forgets everything but what was killed. */
  reset(): void {
    this.#killed = this.pastes.expand(this.#killed)
    this.pastes.clear()
    this.open(newDraft())
  }

  move(movement: Movement): void {
    this.#moveTo(move(this.state, movement))
  }

  /** Moves to the row above or below; false if there is none. */
  moveVertically(step: 1 | -1, wrapping: Wrapping): boolean {
    const { text, cursor } = this.state
    const rows = wrapInput(text, wrapping)
    const row = rowOf(rows, cursor)
    if (rows[row + step] === undefined) return false
    const column = this.#column ?? columnOf(text, rows[row]!, cursor, wrapping)
    this.#moveTo({ text, cursor: cursorIn(text, rows, row + step, column, wrapping) })
    this.#column = column
    return true
  }

  /** Consecutive typing is undone word by word. */
  type(typed: string): string | null {
    const text = cleanInput(typed)
    if (text === '') return null
    if (isLongPaste(text)) return this.#insertLong(text)
    if (/^\s/.test(text)) this.#draft.undo.endGroup()
    return this.#insert(text, 'type')
  }

  /** The same text once more shows a collapsed paste. */
  paste(pasted: string): string | null {
    if (pasted.length > maxPasteLength) return tooLong
    const text = cleanInput(pasted)
    if (text === '') return null
    const { text: whole, cursor } = this.state
    const isRepeated = cursor > 0 && this.pastes.byMarker.get(whole[cursor - 1]!)?.text === text
    if (isRepeated) return this.#showPaste(text)
    if (!isLongPaste(text)) return this.#insert(text, null)
    return this.#insertLong(text) ?? (text.length <= maxInlineLength ? 'Paste it again to show it.' : null)
  }

  remove(deletion: Deletion): void {
    const { state, removed, isBackward } = remove(this.state, deletion)
    if (removed === '') return
    const isKill = deletion !== 'backspace' && deletion !== 'delete'
    const isContinued = isKill && this.#isKilling
    this.edit(state, isKill ? null : deletion)
    if (!isKill) return
    const former = isContinued ? this.#killed : ''
    this.#killed = isBackward ? removed + former : former + removed
    this.#isKilling = true
  }

  yank(): string | null {
    if (this.#killed === '') return null
    const text = this.pastes.expand(this.#killed)
    if (isLongPaste(this.#killed)) return this.#insertLong(text)
    return this.#insert(this.#killed, null)
  }

  undo(): void {
    this.#restore(this.#draft.undo.undo(this.state))
  }

  redo(): void {
    this.#restore(this.#draft.undo.redo(this.state))
  }

  /** Changes the text in a step that can be undone. */
  edit(state: TextState, group: string | null = null): void {
    this.#endCommand()
    this.#draft.undo.record(this.state, group)
    this.#draft.state = state
  }

  /** The state with a text, collapsed if it is long. */
  stateOf(text: string): TextState {
    const clean = cleanInput(text.slice(0, maxPasteLength))
    const marker = isLongPaste(clean) ? this.#addPaste(clean) : null
    return insert(emptyText, marker ?? clean.slice(0, maxInlineLength))
  }

  #moveTo(state: TextState): void {
    this.#endCommand()
    this.#draft.undo.endGroup()
    this.#draft.state = state
  }

  /** What refers to the previous command ends with the next one. */
  #endCommand(): void {
    this.#isKilling = false
    this.#column = null
  }

  #restore(state: TextState | null): void {
    this.#endCommand()
    if (state !== null) this.#draft.state = state
  }

  #insert(text: string, group: string | null): string | null {
    if (this.state.text.length + text.length > maxInlineLength) return tooMuchText
    this.edit(insert(this.state, text), group)
    return null
  }

  #insertLong(text: string): string | null {
    const marker = this.#addPaste(text)
    return marker === null ? tooManyPastes : this.#insert(marker, null)
  }

  #showPaste(text: string): string | null {
    const { text: whole, cursor } = this.state
    if (whole.length + text.length > maxInlineLength) return tooMuchText
    this.edit(replaceRange(this.state, cursor - 1, cursor, text))
    return null
  }

  #addPaste(text: string): string | null {
    return this.pastes.add(text, () => this.#usedTexts())
  }

  *#usedTexts(): Generator<string> {
    yield this.#killed
    for (const { state, undo } of [this.#draft, ...this.#otherDrafts()]) {
      yield state.text
      for (const former of undo.states()) yield former.text
    }
  }
}

const asFile = 'Save the text to a file and mention it with @.'
const tooLong = `Not pasted: more than ${groupDigits(maxPasteLength)} characters. ${asFile}`
const tooManyPastes = `Not pasted: all pastes together are too long. ${asFile}`
const tooMuchText = `Not inserted: more than ${groupDigits(maxInlineLength)} characters. ${asFile}`
