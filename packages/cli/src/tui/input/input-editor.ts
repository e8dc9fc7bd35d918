import type { Key } from 'ink'
import { StateStore } from '../state-store.ts'
import {
  acceptSelected,
  acceptWithTab,
  type Complete,
  type CompletionMenu,
  isAcceptedByEnter,
  moveSelection,
  openMenu,
} from './completion-menu.ts'
import { DraftEditor } from './draft-editor.ts'
import { lineEnd } from './graphemes.ts'
import { HistoryPosition, newDraft } from './history-position.ts'
import { extendSearch, type HistorySearch, searchHistory, stepSearch } from './history-search.ts'
import { type EditorCommand, keyCommands } from './key-commands.ts'
import type { PastedText } from './pasted-texts.ts'
import type { PromptHistory } from './prompt-history.ts'
import { emptyText, isDeletion, isMovement, replaceRange, type TextState } from './text-state.ts'
import { cursorIn, textColumns, type Wrapping, wrapInput } from './wrap-input.ts'

/** What the input shows. The same object as long as nothing changes. */
export interface InputSnapshot {
  /** A collapsed paste is one character, a key of `pastes`. */
  readonly text: string
  /** An index of the text. */
  readonly cursor: number
  readonly pastes: ReadonlyMap<string, PastedText>
  readonly menu: CompletionMenu | null
  readonly search: HistorySearch | null
  /** Why something was not inserted, or a hint; until the next key. */
  readonly notice: string | null
}

export interface InputEditorOptions {
  /** Collapsed pastes are expanded. Never called with blank text. */
  readonly onSubmit: (text: string) => void
  /** `completeInput` of the slash commands; called at most once per change of the text. */
  readonly complete?: Complete
  readonly history?: PromptHistory
}

/**
 * The input of the terminal: text with a cursor, completion, history and search. A store outside React, for `useSyncExternalStore`.
 * It uses no Escape, Ctrl-C, Ctrl-D, Ctrl-Z, Ctrl-R or Shift+Tab unless a menu or search is open.
 */
export class InputEditor {
  readonly #options: InputEditorOptions
  readonly #position = new HistoryPosition()
  readonly #editor = new DraftEditor(() => this.#position.drafts())
  readonly #submitted: string[] = []
  #menu: CompletionMenu | null = null
  #isMenuStale = false
  /** The text for which the menu was opened last, even if it was empty or is closed again. */
  #completedText: string | null = null
  #search: HistorySearch | null = null
  #notice: string | null = null
  #textColumns = textColumns(80)
  #depth = 0
  readonly #shown: StateStore<InputSnapshot>

  constructor(options: InputEditorOptions) {
    this.#options = options
    this.#shown = new StateStore(this.#takeSnapshot())
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#shown.subscribe(listener)

  readonly getSnapshot = (): InputSnapshot => this.#shown.getSnapshot()

  /** What Enter would submit. */
  get text(): string {
    return this.#editor.text
  }

  get isEmpty(): boolean {
    return this.#editor.state.text === ''
  }

  /** The width of the terminal, so that up and down move between the rows that are shown. */
  set width(columns: number) {
    this.#textColumns = textColumns(columns)
  }

  /** Replaces the draft; long text is collapsed. */
  setText(text: string): void {
    this.#change(() => {
      this.#reset()
      this.#editor.open(newDraft(this.#editor.stateOf(text)))
    })
  }

  /** Empties the input. This can be undone. */
  clear(): void {
    this.#change(() => {
      this.#close()
      if (!this.isEmpty) this.#editor.edit(emptyText)
    })
  }

  openSearch(): void {
    this.#change(() => {
      this.#close()
      this.#search = searchHistory(this.#entries, '')
    })
  }

  /** For Ink's `usePaste`. Pasting the same text again shows a collapsed paste. */
  paste(text: string): void {
    this.#change(() => {
      this.#notice = null
      if (this.#search !== null) this.#search = extendSearch(this.#search, text, this.#entries)
      else this.#typed(this.#editor.paste(text))
    })
  }

  /** For Ink's `useInput`. Returns whether the key was used. */
  handleKey(input: string, key: Key): boolean {
    const commands = keyCommands(input, key)
    if (commands.length === 0) return false
    return this.#change(() => {
      this.#notice = null
      // Not `some`: each command has to run.
      return commands.filter((command) => this.#run(command)).length > 0
    })
  }

  get #entries(): readonly string[] {
    return this.#options.history?.entries ?? []
  }

  get #wrapping(): Wrapping {
    return { columns: this.#textColumns, pastes: this.#editor.pastes.byMarker }
  }

  #run(command: EditorCommand): boolean {
    if (this.#search !== null) return this.#runInSearch(this.#search, command)
    const { name } = command
    if (name === 'up' || name === 'down') return this.#moveVertically(name)
    if (isMovement(name)) {
      this.#close()
      this.#editor.move(name)
      return true
    }
    if (isDeletion(name)) return this.#typed(this.#editor.remove(name))
    switch (name) {
      case 'insert':
        return this.#typed(this.#editor.type(command.text))
      case 'newline':
        return this.#typed(this.#editor.type('\n'))
      case 'yank':
        return this.#typed(this.#editor.yank())
      case 'undo':
        return this.#typed(this.#editor.undo())
      case 'redo':
        return this.#typed(this.#editor.redo())
      case 'enter':
        return this.#enter()
      case 'tab':
        return this.#tab()
      case 'escape': {
        const wasOpen = this.#freshMenu() !== null
        this.#close()
        return wasOpen
      }
      default:
        return false
    }
  }

  /** After a change by the person: completes the new text. */
  #typed(notice: string | null | void): true {
    this.#isMenuStale = true
    this.#notice = notice ?? null
    return true
  }

  #enter(): true {
    const { state } = this.#editor
    const menu = this.#freshMenu()
    if (menu !== null && isAcceptedByEnter(state, menu)) return this.#accept(acceptSelected(state, menu))
    const { text, cursor } = state
    if (text[cursor - 1] === '\\' && cursor === lineEnd(text, cursor))
      return this.#accept(replaceRange(state, cursor - 1, cursor, '\n'))
    const whole = this.text
    if (whole.trim() === '') return true
    this.#options.history?.add(whole)
    this.#reset()
    this.#submitted.push(whole)
    return true
  }

  #tab(): boolean {
    const { state } = this.#editor
    const { complete } = this.#options
    const open = this.#freshMenu()
    const menu = open ?? (complete === undefined ? null : openMenu(state, complete))
    if (menu === null) return false
    // Opens a menu that was closed, and accepts what is not worth a menu.
    if (open === null && menu.candidates.length > 1) this.#menu = menu
    else this.#accept(acceptWithTab(state, menu))
    return true
  }

  #accept(state: TextState): true {
    this.#editor.edit(state)
    return this.#typed(null)
  }

  #moveVertically(name: 'up' | 'down'): true {
    const menu = this.#freshMenu()
    if (menu !== null) {
      this.#menu = moveSelection(menu, name === 'up' ? -1 : 1)
      return true
    }
    const isMoved = this.#editor.moveVertically(name === 'up' ? -1 : 1, this.#wrapping)
    return isMoved || this.#stepInHistory(name)
  }

  #stepInHistory(name: 'up' | 'down'): true {
    const direction = name === 'up' ? 'older' : 'newer'
    const draft = this.#position.step(direction, this.#editor.draft, this.#entries, (entry) => {
      const opened = newDraft(this.#editor.stateOf(entry))
      const { text } = opened.state
      // In the first row, so that the same key reaches the entry before it.
      const rows = wrapInput(text, this.#wrapping)
      if (name === 'up') opened.state = { text, cursor: cursorIn(text, rows, 0, Infinity, this.#wrapping) }
      return opened
    })
    if (draft === null) this.#editor.move(name === 'up' ? 'text-start' : 'text-end')
    else this.#editor.open(draft)
    return true
  }

  #runInSearch(search: HistorySearch, command: EditorCommand): true {
    const step = stepSearch(search, command, this.#entries)
    this.#search = step.search
    if (step.search === null && step.taken !== null) this.#editor.edit(this.#editor.stateOf(step.taken))
    return true
  }

  /** The menu for the present text. */
  #freshMenu(): CompletionMenu | null {
    const { state } = this.#editor
    if (this.#isMenuStale && state.text !== this.#completedText) {
      const { complete } = this.#options
      this.#completedText = state.text
      this.#menu = complete === undefined ? null : openMenu(state, complete)
    }
    this.#isMenuStale = false
    return this.#menu
  }

  #close(): void {
    this.#menu = null
    this.#isMenuStale = false
    this.#search = null
  }

  #reset(): void {
    this.#close()
    this.#completedText = null
    this.#position.reset()
    this.#editor.reset()
  }

  /** Notifies once, after everything that belongs together has changed. */
  #change<T>(run: () => T): T {
    this.#depth++
    try {
      return run()
    } finally {
      if (--this.#depth === 0) this.#publish()
    }
  }

  #publish(): void {
    this.#freshMenu()
    this.#shown.set(this.#takeSnapshot())
    for (const text of this.#submitted.splice(0)) this.#options.onSubmit(text)
  }

  #takeSnapshot(): InputSnapshot {
    return {
      ...this.#editor.state,
      pastes: this.#editor.pastes.byMarker,
      menu: this.#menu,
      search: this.#search,
      notice: this.#notice,
    }
  }
}
