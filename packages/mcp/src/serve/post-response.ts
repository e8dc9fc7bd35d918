import type { ServerResponse } from 'node:http'
import { EventStream } from './event-stream.ts'
import { sendJson } from './send-response.ts'

/**
 * A POST with requests in it, until all of them are answered. The answer is one JSON body; it becomes a stream of events
 * as soon as something has to be sent before the result, or when the result takes so long that a client might give up.
 */
export class PostResponse {
  /** What goes into the head of the answer, names and values in turn. Can be set until the head is written. */
  headers: readonly string[] = []
  readonly #response: ServerResponse
  readonly #batch: boolean
  #stream: EventStream | undefined
  #answers: string[] | undefined
  #open: number
  #quietBeats = 0

  constructor(response: ServerResponse, requests: number, batch: boolean) {
    this.#response = response
    this.#open = requests
    this.#batch = batch
  }

  /** The client has closed its connection. In this era that does not cancel. */
  get gone(): boolean {
    return this.#response.destroyed
  }

  get congested(): boolean {
    return this.#stream?.congested === true
  }

  /** Something on the way to the answer. */
  send(json: string): void {
    this.#streaming().send(json)
  }

  /** The answer to one request. The last one ends the exchange. */
  answer(json: string): void {
    this.#open -= 1
    if (this.#stream !== undefined) {
      if (this.#open > 0) this.#stream.send(json)
      else this.#stream.end(json)
    } else if (!this.#batch) {
      sendJson(this.#response, 200, json, this.headers)
    } else {
      this.#answers ??= []
      this.#answers.push(json)
      this.#endBatch(this.#answers)
    }
  }

  /** A request that will have no answer, as it was cancelled. */
  forgo(): void {
    this.#open -= 1
    if (this.#open > 0) return
    if (this.#answers !== undefined) this.#endBatch(this.#answers)
    else this.#streaming().end()
  }

  /** Called now and then: the second time nothing was heard in between, and a quiet answer becomes a stream. */
  beat(): void {
    this.#quietBeats += 1
    if (this.#stream !== undefined || this.#quietBeats > 1) this.#streaming().keepAlive()
  }

  #endBatch(answers: readonly string[]): void {
    if (this.#open === 0) sendJson(this.#response, 200, `[${answers.join(',')}]`, this.headers)
  }

  #streaming(): EventStream {
    if (this.#stream === undefined) {
      this.#stream = new EventStream(this.#response, this.headers)
      for (const answer of this.#answers ?? []) this.#stream.send(answer)
      this.#answers = undefined
    }
    return this.#stream
  }
}
