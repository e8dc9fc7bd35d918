import type { AssistantPart, HistoryItem, HistoryResult, ResultsItem } from '../history/history-item.ts'
import type { SessionRecord, SessionUsage, StartedCall } from './session-record.ts'

export interface RestoredHistory {
  /** Every call has its result, in the order of the calls. */
  readonly items: readonly HistoryItem[]
  readonly counts: { readonly continuations: number; readonly usage: SessionUsage }
  /** The tools whose definitions the model has seen. */
  readonly loaded: readonly string[]
  /** The model that was used last; `null` if it did not change. */
  readonly model: string | null
  /** Calls without a result: the process ended while they were running. */
  readonly lost: readonly StartedCall[]
  /** Why the conversation ended; `null` if it did not, or was continued. */
  readonly end: string | null
}

/** Of items that a removal keeps; only the last prompt is kept at present. */
const maxKept = 16

type CallPart = Extract<AssistantPart, { type: 'call' }>

/** The state of a conversation after the records of its session. Calls without a result get one that gives the reason. */
export function restoreHistory(
  records: readonly SessionRecord[],
  reason = 'the process ended',
): RestoredHistory {
  const state = new SessionState()
  for (const record of records) state.apply(record)
  const lost: StartedCall[] = []
  const withoutResult = ({ callId, name }: CallPart): HistoryResult => {
    const start = state.started.get(callId)
    if (start === undefined) {
      const content = `not run: ${reason} before this call started`
      return { callId, name, status: 'cancelled', code: 'CANCELLED', content }
    }
    lost.push(start)
    const content = `lost: ${reason} while this call was running`
    return { callId, name, status: 'error', code: 'WORKER_LOST', content }
  }
  const items = balance(state.items(), withoutResult)
  return { items, counts: state.counts, loaded: state.loaded, model: state.model, lost, end: state.end }
}

class SessionState {
  /** The summary of what was removed, and the items before `#from` that were kept. */
  #first: readonly HistoryItem[] = []
  /** The items after it start at `#from`; those before it were removed. */
  readonly #items: HistoryItem[] = []
  #from = 0
  /** By id: the place in `#items`. */
  readonly #places = new Map<number, number>()
  /** Takes effect when the items that it replaces are removed. */
  #nextFirst: HistoryItem | null = null
  /** The last start of every call, by call id. */
  readonly started = new Map<string, StartedCall>()
  counts: RestoredHistory['counts'] = { continuations: 0, usage: {} }
  loaded: readonly string[] = []
  model: string | null = null
  end: string | null = null

  items(): HistoryItem[] {
    return [...this.#first, ...this.#items.slice(this.#from)]
  }

  apply(record: SessionRecord): void {
    this.end = record.type === 'end' ? record.reason : null
    switch (record.type) {
      case 'item':
        return this.#addItem(record.item)
      case 'calls':
        for (const call of record.calls) this.started.set(call.callId, call)
        return
      case 'counts':
        this.counts = { continuations: record.continuations, usage: record.usage }
        return
      case 'loaded':
        this.loaded = record.tools
        return
      case 'model':
        this.model = record.model
        return
      case 'removed':
        return this.#removeBefore(record.before, record.keep ?? [])
      case 'rewound':
        return this.#removeAfter(record.position)
    }
  }

  #addItem(item: HistoryItem): void {
    if (this.#first.some(({ id }) => id === item.id))
      this.#first = this.#first.map((first) => (first.id === item.id ? item : first))
    else if (item.type === 'user' && item.source === 'summary') this.#nextFirst = item
    else this.#items[this.#placeOf(item.id) ?? this.#add(item.id)] = item
  }

  #placeOf(id: number): number | null {
    const place = this.#places.get(id) ?? -1
    return place >= this.#from ? place : null
  }

  #add(id: number): number {
    this.#places.set(id, this.#items.length)
    return this.#items.length
  }

  #removeBefore(before: number, keep: readonly number[]): void {
    const summary = this.#nextFirst === null ? [] : [this.#nextFirst]
    const inFirst = this.#first.findIndex(({ id }) => id === before)
    const kept = new Set([
      ...keep.slice(0, maxKept).flatMap((id) => this.#find(id) ?? []),
      ...(inFirst < 0 ? [] : this.#first.slice(inFirst)),
    ])
    const place = this.#placeOf(before)
    if (place !== null) this.#from = place
    else while (this.#from < this.#items.length && this.#items[this.#from]!.id < before) this.#from++
    this.#first = [...summary, ...kept].slice(0, maxKept)
    this.#nextFirst = null
  }

  /** An unknown item removes nothing. */
  #removeAfter(position: number): void {
    const inFirst = this.#first.findIndex(({ id }) => id === position)
    const place = this.#placeOf(position)
    if (position === 0 || inFirst >= 0) this.#first = this.#first.slice(0, inFirst + 1)
    else if (place === null) return
    const end = place === null ? this.#from : place + 1
    for (const { id } of this.#items.splice(end)) this.#places.delete(id)
    this.#nextFirst = null
  }

  #find(id: number): HistoryItem | undefined {
    const place = this.#placeOf(id)
    return place === null ? this.#first.find((item) => item.id === id) : this.#items[place]
  }
}

/** Adds missing results, and drops results without a call. */
function balance(
  items: readonly HistoryItem[],
  withoutResult: (call: CallPart) => HistoryResult,
): HistoryItem[] {
  const balanced: HistoryItem[] = []
  let nextId = items.reduce((max, { id }) => Math.max(max, id), 0) + 1
  for (const [index, item] of items.entries()) {
    if (item.type === 'results') continue
    balanced.push(item)
    const calls = item.type === 'assistant' ? item.parts.filter((part) => part.type === 'call') : []
    if (calls.length === 0) continue
    const next = items[index + 1]
    const found: ResultsItem =
      next?.type === 'results' ? next : { type: 'results', id: nextId++, at: item.at, results: [] }
    const results = inOrderOf(calls, found.results, withoutResult)
    const isUnchanged =
      results.length === found.results.length && results.every((result, at) => result === found.results[at])
    balanced.push(isUnchanged ? found : { ...found, results })
  }
  return balanced
}

/** A model may repeat an id, so each result is used once. */
function inOrderOf(
  calls: readonly CallPart[],
  results: readonly HistoryResult[],
  withoutResult: (call: CallPart) => HistoryResult,
): HistoryResult[] {
  const unused = new Map<string, HistoryResult[]>()
  for (const result of results.toReversed()) {
    const others = unused.get(result.callId)
    if (others === undefined) unused.set(result.callId, [result])
    else others.push(result)
  }
  return calls.map((call) => unused.get(call.callId)?.pop() ?? withoutResult(call))
}
