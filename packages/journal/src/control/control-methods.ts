import { ControlError, type ControlRequest, type Fields } from './control-messages.ts'

/** Returns the result, as JSON. Throws a `ControlError` to choose the code of the error. */
export type ControlHandler = (params: Fields, context: ControlContext) => unknown

/** Called for each client that requests the stream. */
export type ControlStreamHandler = (params: Fields, context: ControlContext) => ControlStream

export interface ControlContext {
  /** Aborted when the connection is closed. One that has only ended its input waits for the response for a while. */
  readonly signal: AbortSignal
}

/**
 * A source of events for one client. The server asks for the next event only when the client has read the last one, so a slow client
 * gets fewer events with the newest state instead of a queue of old ones.
 */
export interface ControlStream {
  /** Calls the listener when there is something new. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void
  /** What is new since the last event, as JSON; `undefined` if nothing is. Also called once at the beginning. */
  next(): unknown
}

type Entry =
  | { readonly kind: 'request'; readonly handler: ControlHandler }
  | { readonly kind: 'stream'; readonly open: ControlStreamHandler }

/** What the clients of a control socket can request, by name. */
export class ControlMethods {
  readonly #entries = new Map<string, Entry>()

  /** Adds a method with one response. Returns a function that removes it. */
  handle(method: string, handler: ControlHandler): () => void {
    return this.#add(method, { kind: 'request', handler })
  }

  /** Adds a method that sends events until the client disconnects. Returns a function that removes it. */
  handleStream(method: string, open: ControlStreamHandler): () => void {
    return this.#add(method, { kind: 'stream', open })
  }

  get names(): string[] {
    return [...this.#entries.keys()].sort()
  }

  find({ method }: ControlRequest): Entry {
    const entry = this.#entries.get(method)
    if (entry !== undefined) return entry
    const known = this.names.join(', ')
    throw new ControlError(
      'UNKNOWN_METHOD',
      `there is no method "${method.slice(0, 64)}"; the methods are ${known}`,
    )
  }

  #add(method: string, entry: Entry): () => void {
    if (this.#entries.has(method)) throw new Error(`the control method ${method} exists already`)
    this.#entries.set(method, entry)
    return () => {
      if (this.#entries.get(method) === entry) this.#entries.delete(method)
    }
  }
}
