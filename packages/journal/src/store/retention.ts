import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from './in-transaction.ts'
import { liveStatuses, timeProperty } from './journal-schema.ts'
import { parseTimeRecord, trustTime } from './trusted-time.ts'

const dayMs = 86_400_000
/** Short enough that other writers hardly wait. */
const rowsPerStep = 500
const pagesPerStep = 128
/** The share of `maxBytes` that is left, so that not every call removes another one. */
const leftAfterShrinking = 0.9
/** Times further ahead come from a clock that was wrong. */
const maxAheadMs = dayMs

export interface RetentionOptions {
  readonly maxAgeDays: number
  readonly maxBytes: number
}

/** Removes old calls, in small steps. */
export class Retention {
  readonly #db: DatabaseSync
  readonly #options: RetentionOptions
  #isShrinking = false

  constructor(db: DatabaseSync, options: RetentionOptions) {
    this.#db = db
    this.#options = options
  }

  /** Does a part of the work. Returns whether there is more. `now` is `null` if the clock of this process cannot be trusted. */
  step(now: number | null): boolean {
    const isExpired = now !== null && inTransaction(this.#db, () => this.#removeExpired(now)) > 0
    if (isExpired || this.#shrink()) return true
    this.#removeRuns()
    return this.#returnSpace()
  }

  #removeExpired(now: number): number {
    const trusted = this.#trust(now)
    if (trusted === null) return 0
    const expiredBefore = trusted - this.#options.maxAgeDays * dayMs
    const rows = this.#db
      .prepare(
        `SELECT id, updated_at FROM calls WHERE status NOT IN (${liveStatuses}) ORDER BY id LIMIT ${rowsPerStep}`,
      )
      .all()
    const last = rows.findLastIndex((row) => Number(row.updated_at) < expiredBefore)
    const remove = this.#db.prepare('DELETE FROM calls WHERE id = ?')
    let removed = 0
    for (const { id, updated_at } of rows.slice(0, last + 1)) {
      const at = Number(updated_at)
      // A call that has not happened yet is as old as the ones after it.
      if (at >= expiredBefore && at <= trusted + maxAheadMs) continue
      remove.run(id!)
      removed++
    }
    return removed
  }

  #trust(now: number): number | null {
    const row = this.#db.prepare('SELECT value FROM properties WHERE name = ?').get(timeProperty)
    const known = parseTimeRecord(row?.value)
    const { record, trusted } = trustTime(known, now)
    if (record !== known)
      this.#db
        .prepare(
          'INSERT INTO properties VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        )
        .run(timeProperty, JSON.stringify(record))
    return trusted
  }

  #shrink(): boolean {
    const { maxBytes } = this.#options
    const bytes = (this.#pragma('page_count') - this.#pragma('freelist_count')) * this.#pragma('page_size')
    this.#isShrinking = bytes > maxBytes * (this.#isShrinking ? leftAfterShrinking : 1)
    if (!this.#isShrinking) return false
    const { changes } = this.#db
      .prepare(
        `DELETE FROM calls WHERE id IN
         (SELECT id FROM calls WHERE status NOT IN (${liveStatuses}) ORDER BY id LIMIT ${rowsPerStep})`,
      )
      .run()
    return Number(changes) > 0
  }

  #removeRuns(): void {
    this.#db.exec(`
      DELETE FROM runs WHERE ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM calls WHERE calls.run = runs.id)`)
  }

  #returnSpace(): boolean {
    const free = this.#pragma('freelist_count')
    if (free < pagesPerStep) return false
    this.#db.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`)
    // Not so in a file that was created without `auto_vacuum`.
    return this.#pragma('freelist_count') < free
  }

  #pragma(name: string): number {
    return Number(this.#db.prepare(`PRAGMA ${name}`).get()![name])
  }
}
