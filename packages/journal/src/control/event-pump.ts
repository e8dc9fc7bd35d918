import type { ControlStream } from './control-methods.ts'

interface EventClient {
  /** Calls `done` when the client can take another event. Throws if the event cannot be sent. */
  send(event: unknown, done: () => void): void
  fail(error: unknown): void
}

/** Several changes within this time are one event. */
const intervalMs = 100

/** Sends the events of a stream to one client, each when the client has taken the one before it. */
export class EventPump {
  readonly #stream: ControlStream
  #unsubscribe: () => void = () => {}
  #hasNews = true
  #isSending = false
  #isStopped = false
  #timer: NodeJS.Timeout | null = null

  constructor(stream: ControlStream) {
    this.#stream = stream
  }

  start(client: EventClient): void {
    try {
      this.#unsubscribe = this.#stream.subscribe(() => {
        this.#hasNews = true
        this.#pump(client)
      })
    } catch (error) {
      return client.fail(error)
    }
    this.#pump(client)
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#unsubscribe()
  }

  #pump(client: EventClient): void {
    if (!this.#hasNews || this.#isSending || this.#timer !== null || this.#isStopped) return
    this.#hasNews = false
    try {
      const event = this.#stream.next()
      if (event === undefined) return
      this.#isSending = true
      client.send(event, () => {
        this.#isSending = false
        this.#pump(client)
      })
    } catch (error) {
      return client.fail(error)
    }
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#pump(client)
    }, intervalMs).unref()
  }
}
