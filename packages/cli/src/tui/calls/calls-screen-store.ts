import type { Runtime } from '@curfew/core'
import { Listeners } from '@curfew/core/internal'
import { isTerminal } from '@curfew/core/rows'
import { type CallCounts, type CallFilter, CallIndex } from './call-index.ts'
import type { CallRecords } from './call-records.ts'
import { ExpandedCall, type ScreenSize } from './expanded-call.ts'
import type { FrameClock } from './frame-clock.ts'
import {
  initialList,
  type ListMove,
  type ListState,
  moveInList,
  settleList,
  visibleUids,
} from './list-state.ts'
import type { CallsRuntime } from './live-call-tree.ts'
import { moveOf, type ScreenKey } from './screen-key.ts'

export type CallsScreenRuntime = CallsRuntime & Pick<Runtime, 'readOutput' | 'cancel' | 'detach'>

export interface CallsScreenOptions {
  readonly runtime: CallsScreenRuntime
  readonly clock: FrameClock
  /** Without it, the details have only what the rows contain. */
  readonly records?: CallRecords | undefined
  /** The call that is expanded at first. */
  readonly expandedUid?: number | null | undefined
  readonly onClose: () => void
}

/** What the screen shows. The same object while nothing changes. */
export interface CallsScreenView {
  readonly counts: CallCounts
  readonly filter: CallFilter
  readonly search: string
  readonly isTyping: boolean
  /** The outcome of the last key. */
  readonly message: string | null
  /** The uid of the selected call. */
  readonly selected: number | null
  readonly visible: readonly number[]
  /** The expanded call, if any, and what is visible of it. */
  readonly expanded: { readonly uid: number; readonly lines: readonly string[] } | null
}

const filters: readonly CallFilter[] = ['all', 'running', 'failed']
const maxSearchLength = 100

/** The state of `/calls`: a list of all calls, one of which can be expanded. */
export class CallsScreenStore {
  readonly #options: CallsScreenOptions
  readonly #index: CallIndex
  readonly #listeners = new Listeners<void>((error) => void Promise.reject(error))
  readonly #unsubscribe: () => void
  #list: ListState = initialList
  #filter: CallFilter = 'all'
  #search = ''
  #isTyping = false
  #message: string | null = null
  #expanded: ExpandedCall | null = null
  #size: ScreenSize | null = null
  #view: CallsScreenView | null = null

  constructor(options: CallsScreenOptions) {
    const { runtime, clock, expandedUid = null } = options
    this.#options = options
    this.#index = new CallIndex(runtime, () => clock.request())
    this.#unsubscribe = clock.subscribe(() => this.#changed())
    if (expandedUid === null) return
    this.#list = { ...this.#list, selected: expandedUid }
    this.#expand(expandedUid)
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(() => listener())

  view(size: ScreenSize): CallsScreenView {
    const isSameSize =
      this.#size?.width === size.width && this.#size.height === size.height && this.#size.theme === size.theme
    if (this.#view !== null && isSameSize) return this.#view
    this.#size = size
    this.#list = settleList(this.#list, this.#listView())
    const { selected } = this.#list
    const expanded = this.#expanded
    this.#view = {
      counts: this.#index.counts,
      filter: this.#filter,
      search: this.#search,
      isTyping: this.#isTyping,
      message: this.#message,
      selected,
      visible: visibleUids(this.#list, this.#listView()),
      expanded: expanded === null ? null : { uid: expanded.uid, lines: expanded.lines(size) },
    }
    return this.#view
  }

  readonly handleKey = (input: string, key: ScreenKey): void => {
    this.#message = null
    if (this.#isTyping) this.#type(input, key)
    else if (key.escape || (input === 'q' && !key.ctrl)) this.#leave(key.escape === true)
    else if (key.return) this.#toggle()
    else if (!key.ctrl && !key.meta) this.#command(input, key)
    this.#changed()
  }

  close(): void {
    this.#index.close()
    this.#unsubscribe()
  }

  #command(input: string, key: ScreenKey): void {
    const move = moveOf(input, key)
    if (move !== null) this.#move(move)
    else if (key.leftArrow || key.rightArrow) this.#step(key.leftArrow ? 'up' : 'down')
    else if (input === 'c') this.#cancel()
    else if (input === 'b') this.#detach()
    else if (input === 'f')
      this.#select(filters[(filters.indexOf(this.#filter) + 1) % filters.length]!, this.#search)
    else if (input === '/') {
      this.#expanded = null
      this.#isTyping = true
    }
  }

  /** Escape undoes one thing at a time; `q` closes the screen. */
  #leave(isEscape: boolean): void {
    if (isEscape && this.#expanded !== null) this.#expanded = null
    else if (isEscape && this.#search !== '') this.#select(this.#filter, '')
    else this.#options.onClose()
  }

  #toggle(): void {
    const { selected } = this.#list
    if (this.#expanded !== null || selected === null) this.#expanded = null
    else this.#expand(selected)
  }

  #expand(uid: number): void {
    this.#expanded = new ExpandedCall(this.#options.runtime, this.#options.records, uid, () =>
      this.#options.clock.request(),
    )
    this.#list = { ...this.#list, isFollowing: false }
  }

  #move(move: ListMove): void {
    if (this.#expanded === null) this.#list = moveInList(this.#list, this.#listView(), move)
    else if (this.#size !== null) this.#expanded.scroll(move, this.#size)
  }

  /** Expands another call. */
  #step(move: ListMove): void {
    if (this.#expanded === null) return
    this.#list = moveInList(this.#list, this.#listView(), move)
    if (this.#list.selected !== null) this.#expand(this.#list.selected)
  }

  #type(input: string, key: ScreenKey): void {
    if (key.return) this.#isTyping = false
    else if (key.escape) {
      this.#isTyping = false
      this.#select(this.#filter, '')
    } else if (key.backspace || key.delete)
      this.#select(this.#filter, [...this.#search].slice(0, -1).join(''))
    else if (!key.ctrl && !key.meta && !moveOf('', key)) {
      const typed = input.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
      this.#select(this.#filter, (this.#search + typed).slice(0, maxSearchLength))
    }
  }

  #select(filter: CallFilter, search: string): void {
    // What was found stays selected.
    if (search !== this.#search) this.#list = { ...this.#list, isFollowing: false }
    this.#filter = filter
    this.#search = search
    this.#expanded = null
    this.#index.select(filter, search)
  }

  #cancel(): void {
    const uid = this.#expanded?.uid ?? this.#list.selected
    if (uid === null) return
    const isCancelled = this.#options.runtime.cancel({ uid }, 'by the user')
    this.#message = isCancelled ? `Call ${uid} is being cancelled.` : `Call ${uid} has already ended.`
  }

  #detach(): void {
    const uid = this.#expanded?.uid ?? this.#list.selected
    if (uid === null) return
    const task = this.#options.runtime.detach(uid)
    this.#message =
      task === null
        ? `Call ${uid} cannot continue in the background: ${this.#whyNot(uid)}.`
        : `It continues in the background as call ${task}.`
  }

  #whyNot(uid: number): string {
    const row = this.#options.runtime.getCall(uid)
    if (row === undefined || isTerminal(row.status)) return 'it has ended'
    return row.background ? 'it already does' : 'it is not running yet'
  }

  #listView(): { readonly uids: readonly number[]; readonly height: number } {
    return { uids: this.#index.uids, height: this.#size?.height ?? 0 }
  }

  #changed(): void {
    this.#view = null
    this.#listeners.notify()
  }
}
