import { randomUUID } from 'node:crypto'
import {
  type InputRequests as InputRequestMap,
  type InputRequiredResult,
  inputRequired,
} from '@modelcontextprotocol/server'
import { abortable } from '../async/abortable.ts'
import type { BridgedMethod } from '../client/connection/client-bridge.ts'
import type { JsonObject } from './json-object.ts'

interface OpenQuestion {
  readonly key: string
  readonly request: { readonly method: BridgedMethod; readonly params: JsonObject }
  resolve(response: JsonObject): void
}

/** The open questions of one request to a 2026 client, which answers them by sending the request again. */
export class InputRequests {
  #open: OpenQuestion[] = []
  #onQuestion: (() => void) | null = null

  get isEmpty(): boolean {
    return this.#open.length === 0
  }

  async ask(method: BridgedMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const question: OpenQuestion = { key: randomUUID(), request: { method, params }, resolve: () => {} }
    const response = new Promise<JsonObject>((resolve) => {
      question.resolve = resolve
    })
    this.#open.push(question)
    this.#onQuestion?.()
    return await abortable(response, signal).finally(() => {
      this.#open = this.#open.filter((other) => other !== question)
    })
  }

  /** Resolves as soon as there is an open question. */
  waitForQuestion(): Promise<'question'> {
    return new Promise((resolve) => {
      this.#onQuestion = () => resolve('question')
      if (!this.isEmpty) resolve('question')
    })
  }

  stopWaiting(): void {
    this.#onQuestion = null
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
    const inputRequests: InputRequestMap = {}
    for (const { key, request } of this.#open) inputRequests[key] = request as InputRequestMap[string]
    return inputRequired({ inputRequests, requestState })
  }
}
