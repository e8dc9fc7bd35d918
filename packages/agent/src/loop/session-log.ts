import type { Runtime, Turn } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'
import type { Removal } from '../history/history.ts'
import type { HistoryItem } from '../history/history-item.ts'
import type { RestoredHistory } from '../sessions/restore-history.ts'
import type { Session } from '../sessions/session-file.ts'
import type { SessionRecord } from '../sessions/session-record.ts'

export type SavedSession = Pick<Session, 'append' | 'written' | 'flush'>

/** Saves a conversation while it takes place. Does nothing without a session; a conversation goes on if it cannot be saved. */
export class SessionLog {
  readonly #session: SavedSession | undefined
  readonly #clock: Clock
  readonly #counts: () => RestoredHistory['counts']
  readonly #onError: (error: unknown) => void
  /** Those in the last record. */
  #loaded: string

  constructor(
    session: SavedSession | undefined,
    clock: Clock,
    counts: () => RestoredHistory['counts'],
    loaded: readonly string[],
    onError: (error: unknown) => void,
  ) {
    this.#session = session
    this.#clock = clock
    this.#counts = counts
    this.#loaded = loaded.join()
    this.#onError = onError
  }

  /** An item with a known id replaces that item. */
  item(item: HistoryItem): void {
    this.#append({ type: 'item', item })
  }

  removed({ summary, before, keep }: Removal): void {
    this.item(summary)
    this.#append({ type: 'removed', before, ...(keep.length > 0 && { keep }) })
  }

  rewound(position: number): void {
    this.#append({ type: 'rewound', position })
  }

  /** Records each call of a turn before it starts, so that a crash leaves a trace of it. Returns a function that ends this. */
  watch(runtime: Pick<Runtime, 'use'>, { id: turn, conversation }: Turn): () => void {
    const session = this.#session
    if (session === undefined) return () => {}
    return runtime.use(async (call, next) => {
      if (call.turn === turn && call.conversation === conversation.id && call.parentUid === null) {
        const { id: callId, name } = call
        this.#append({ type: 'calls', calls: [{ callId, name, startedAt: this.#clock.wallTime() }] })
        this.#saveCounts()
        await this.written()
      }
      return await next()
    })
  }

  /** Resolves when everything so far survives the end of this process. */
  async written(): Promise<void> {
    await this.#session?.written().catch(this.#onError)
  }

  /** After a tool was loaded, or its definition was removed from the history. */
  loaded(tools: readonly string[]): void {
    if (tools.join() === this.#loaded) return
    this.#loaded = tools.join()
    this.#append({ type: 'loaded', tools })
  }

  model(model: string): void {
    this.#append({ type: 'model', model })
  }

  /** `reason` is that of a turn; `null` for what was done between turns. */
  async end(reason: string | null): Promise<void> {
    if (this.#session === undefined) return
    this.#saveCounts()
    if (reason !== null) this.#append({ type: 'end', reason })
    await this.#session.flush().catch(this.#onError)
  }

  /** Also during a turn, so that a crash does not reset a limit or a budget. */
  #saveCounts(): void {
    this.#append({ type: 'counts', ...this.#counts() })
  }

  #append(record: SessionRecord): void {
    try {
      this.#session?.append(record)
    } catch (error) {
      this.#onError(error)
    }
  }
}
