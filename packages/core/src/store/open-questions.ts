import type { Question } from '../call/question.ts'
import { RemovalLog } from './removal-log.ts'

interface Entry {
  readonly question: Question
  /** The first revision that includes the question. */
  readonly revision: number
}

/** The questions that wait for an answer, and those that were opened and closed since the last notification. */
export class OpenQuestions {
  readonly #open = new Map<number, Entry>()
  readonly #closedLog = new RemovalLog()
  #all: readonly Question[] = []
  #opened: Question[] = []
  #closed: number[] = []

  /** Oldest first; the same array while nothing changes. */
  get all(): readonly Question[] {
    return this.#all
  }

  open(question: Question, revision: number, isNotified: boolean): void {
    this.#open.set(question.id, { question, revision })
    this.#all = [...this.#all, question]
    if (isNotified) this.#opened.push(question)
  }

  /** Returns false if the question is not open. */
  close(id: number, revision: number, isNotified: boolean): boolean {
    if (!this.#open.delete(id)) return false
    this.#all = this.#all.filter((question) => question.id !== id)
    this.#closedLog.add(id, revision)
    this.#opened = this.#opened.filter((question) => question.id !== id)
    if (isNotified) this.#closed.push(id)
    return true
  }

  /** What was opened and closed since this was last called. */
  takeChanges(): { opened: readonly Question[]; closed: readonly number[] } {
    const changes = { opened: this.#opened, closed: this.#closed }
    this.#opened = []
    this.#closed = []
    return changes
  }

  /** What was opened and closed after a revision; `null` if that is no longer known. */
  since(revision: number): { opened: readonly Question[]; closed: readonly number[] } | null {
    const closed = this.#closedLog.since(revision)
    if (closed === null) return null
    const entries = [...this.#open.values()].filter((entry) => entry.revision > revision)
    return { opened: entries.map(({ question }) => question), closed }
  }
}
