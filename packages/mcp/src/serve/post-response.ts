import type { ServerResponse } from 'node:http'
import { EventStream } from './event-stream.ts'
import { sendJson } from './send-response.ts'

/**
 * The response to a POST, until all its requests are answered. It is one JSON body, or a stream of events as soon as a message has to
 * be sent before the result, or if the result takes so long that a client might time out.
 */
export class PostResponse {
  /** Headers of the response, names and values alternating. Can be set until the head is written. */
  headers: readonly string[] = []
  readonly #response: ServerResponse
  readonly #batch: boolean
  #stream: EventStream | undefined
  #results: string[] | undefined
  #open: number
  #quietBeats = 0

  constructor(response: ServerResponse, requests: number, batch: boolean) {
    this.#response = response
    this.#open = requests
    this.#batch = batch
  }

  /** The client has closed its connection. */
  get gone(): boolean {
    return this.#response.destroyed
  }

  get congested(): boolean {
    return this.#stream?.congested === true
  }

  /** Sends a message before the result. */
  send(json: string): void {
    this.#streaming().send(json)
  }

  /** Responds to one request. The last one ends the response. */
  respond(json: string): void {
    this.#open -= 1
    if (this.#stream !== undefined) {
      if (this.#open > 0) this.#stream.send(json)
      else this.#stream.end(json)
    } else if (!this.#batch) {
      sendJson(this.#response, 200, json, this.headers)
    } else {
      this.#results ??= []
      this.#results.push(json)
      this.#endBatch(this.#results)
    }
  }

  /** Skips the result of a cancelled request. */
  skip(): void {
    this.#open -= 1
    if (this.#open > 0) return
    if (this.#results !== undefined) this.#endBatch(this.#results)
    else this.#streaming().end()
  }

  /** Called periodically: at the second call without a message in between, the response becomes a stream. */
  beat(): void {
    this.#quietBeats += 1
    if (this.#stream !== undefined || this.#quietBeats > 1) this.#streaming().keepAlive()
  }

  #endBatch(results: readonly string[]): void {
    if (this.#open === 0) sendJson(this.#response, 200, `[${results.join(',')}]`, this.headers)
  }

  #streaming(): EventStream {
    if (this.#stream === undefined) {
      this.#stream = new EventStream(this.#response, this.headers)
      for (const result of this.#results ?? []) this.#stream.send(result)
      this.#results = undefined
    }
    return this.#stream
  }
}
