import { randomUUID } from 'node:crypto'
import { abortable } from '@curfew/core/internal'
import {
  type InputRequests as InputRequestMap,
  type InputRequiredResult,
  inputRequired,
} from '@modelcontextprotocol/server'
import type { BridgedMethod } from '../client/connection/client-bridge.ts'
import type { JsonObject } from './json-object.ts'

export interface OpenQuestion {
  readonly key: string
  readonly request: { readonly method: BridgedMethod; readonly params: JsonObject }
  /** Aborted when it is withdrawn. */
  readonly signal: AbortSignal
  resolve(response: JsonObject): void
  reject(error: unknown): void
}

/** The open questions of one request that its client answers with another request: a 2026 client, or one that polls a task. */
export class InputRequests {
  #open: OpenQuestion[] = []
  readonly #listeners = new Set<() => void>()

  get isEmpty(): boolean {
    return this.#open.length === 0
  }

  get open(): readonly OpenQuestion[] {
    return this.#open
  }

  async ask(method: BridgedMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const key = randomUUID()
    const response = new Promise<JsonObject>((resolve, reject) => {
      this.#open.push({ key, request: { method, params }, signal, resolve, reject })
    })
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
    return await abortable(response, signal).finally(() => {
      this.#open = this.#open.filter((question) => question.key !== key)
    })
  }

  /** Resolves when another question is asked. */
  nextQuestion(): Promise<'question'> {
    return new Promise((resolve) => {
      this.#listeners.add(() => resolve('question'))
    })
  }

  /** Questions without a response stay open and are sent again. */
  answer(responses: Readonly<Record<string, unknown>>): void {
    const questions = this.#open
    this.#open = []
    for (const question of questions) {
      const response = Object.hasOwn(responses, question.key) ? responses[question.key] : undefined
      if (typeof response === 'object' && response !== null) question.resolve(response as JsonObject)
      else this.#open.push(question)
    }
  }

  toResult(requestState: string): InputRequiredResult {
    return inputRequired({ inputRequests: this.toMap(), requestState })
  }

  toMap(): InputRequestMap {
    return Object.fromEntries(this.#open.map(({ key, request }) => [key, request as InputRequestMap[string]]))
  }
}
