import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Call, Result } from '../../src/adapter/adapter.ts'
import { isMutant } from './mutation.ts'

export type Message =
  | { readonly role: 'user'; text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly Call[] }
  /** `null` while a call runs. */
  | { readonly role: 'results'; readonly results: (Result | null)[] }

/** A conversation in a file, which is written before calls start and after each result. */
export class History {
  readonly messages: Message[] = []
  readonly #file: string

  constructor(folder: string, resume: boolean) {
    this.#file = join(folder, 'history.json')
    if (!resume) return
    try {
      this.messages.push(...JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      // Nothing was saved.
    }
    if (!isMutant('interrupted-calls-have-no-result')) this.#endCalls()
    this.endTurn('(The turn was interrupted.)')
  }

  addPrompt(text: string): void {
    this.messages.push({ role: 'user', text })
    this.save()
  }

  /** The calls have no results yet. */
  addResponse(text: string, calls: readonly Call[]): (index: number, result: Result) => void {
    this.messages.push({ role: 'assistant', text, calls })
    const results: (Result | null)[] = calls.map(() => null)
    if (calls.length > 0) this.messages.push({ role: 'results', results })
    if (!isMutant('saves-after-the-calls')) this.save()
    return (index, result) => {
      results[index] = result
      if (!isMutant('saves-after-the-calls', 'saves-results-late')) this.save()
    }
  }

  /** So that the next prompt follows an answer. */
  endTurn(text: string): void {
    if (this.messages.length > 0 && this.messages.at(-1)!.role !== 'assistant') this.addResponse(text, [])
    this.save()
  }

  /** With a response that has only begun. */
  saveStart(): void {
    this.messages.push({ role: 'assistant', text: '', calls: [] })
    this.save()
    this.messages.pop()
  }

  /** Complete or not at all. */
  save(): void {
    if (isMutant('saves-at-the-end-of-a-turn') && this.messages.at(-1)?.role !== 'assistant') return
    try {
      writeFileSync(`${this.#file}.new`, JSON.stringify(this.messages))
      renameSync(`${this.#file}.new`, this.#file)
    } catch {
      // The folder may have been removed; the conversation goes on.
    }
  }

  /** The calls that ran when an earlier process ended. */
  #endCalls(): void {
    const last = this.messages.at(-1)
    if (last?.role !== 'results') return
    const { calls } = this.messages.at(-2) as Extract<Message, { role: 'assistant' }>
    for (const [index, { id }] of calls.entries())
      last.results[index] ??= { id, text: 'Error: the call was interrupted; it may have run.', isError: true }
  }
}
