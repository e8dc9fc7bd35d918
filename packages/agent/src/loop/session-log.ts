import type { Clock } from '@curfew/core/internal'
import type { Removal } from '../history/history.ts'
import type { HistoryItem } from '../history/history-item.ts'
import type { RestoredHistory } from '../sessions/restore-history.ts'
import type { Session } from '../sessions/session-file.ts'

export type SavedSession = Pick<Session, 'append' | 'written' | 'flush'>

/** Saves a conversation while it takes place. Does nothing without a session. */
export class SessionLog {
  readonly #session: SavedSession | undefined
  readonly #clock: Clock
  readonly #counts: () => RestoredHistory['counts']
  /** Those in the last record. */
  #loaded: string

  constructor(
    session: SavedSession | undefined,
    clock: Clock,
    counts: () => RestoredHistory['counts'],
    loaded: readonly string[],
  ) {
    this.#session = session
    this.#clock = clock
    this.#counts = counts
    this.#loaded = loaded.join()
  }

  /** An item with a known id replaces that item. */
  item(item: HistoryItem): void {
    this.#session?.append({ type: 'item', item })
  }

  removed({ summary, before, keep }: Removal): void {
    this.item(summary)
    this.#session?.append({ type: 'removed', before, ...(keep.length > 0 && { keep }) })
  }

  /** Before calls run, so that a crash leaves a trace of them. */
  async calls(calls: readonly { readonly callId: string; readonly name: string }[]): Promise<void> {
    if (this.#session === undefined) return
    const startedAt = this.#clock.wallTime()
    const started = calls.map(({ callId, name }) => ({ callId, name, startedAt }))
    this.#session.append({ type: 'calls', calls: started })
    this.#saveCounts()
    await this.#session.written()
  }

  /** After a tool was loaded, or its definition was removed from the history. */
  loaded(tools: readonly string[]): void {
    if (tools.join() === this.#loaded) return
    this.#loaded = tools.join()
    this.#session?.append({ type: 'loaded', tools })
  }

  model(model: string): void {
    this.#session?.append({ type: 'model', model })
  }

  /** `reason` is that of a turn; `null` for what was done between turns. */
  async end(reason: string | null): Promise<void> {
    if (this.#session === undefined) return
    this.#saveCounts()
    if (reason !== null) this.#session.append({ type: 'end', reason })
    await this.#session.flush()
  }

  /** Also during a turn, so that a crash does not reset a limit or a budget. */
  #saveCounts(): void {
    this.#session?.append({ type: 'counts', ...this.#counts() })
  }
}
