/** One server-sent event. */
export interface ServerEvent {
  /** Empty for a message. */
  readonly type: string
  readonly data: string
  /** Where to resume after a lost connection. */
  readonly id: string | null
  /** How long to wait before reconnecting. */
  readonly retryMs: number | null
}

/** Bounds for the server's value: with others, the client would reconnect without a pause or never. */
const minRetryMs = 500
const maxRetryMs = 60_000
/** The id is sent back in a header. */
const usableId = /^[\x20-\x7e]{1,1000}$/
const empty: ServerEvent = { type: '', data: '', id: null, retryMs: null }

/** Parses a stream of server-sent events. Keeps at most `maxLength` characters of an event. */
export class EventReader {
  readonly #maxLength: number
  readonly #decoder = new TextDecoder()
  #event: { -readonly [K in keyof ServerEvent]: ServerEvent[K] } = { ...empty }
  #data: string[] | null = null
  #line = ''
  #length = 0
  #endedWithReturn = false

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Returns the events that are now complete; `null` once one is too large, after which the stream must not be read. */
  push(chunk: Uint8Array): ServerEvent[] | null {
    const events: ServerEvent[] = []
    let text = this.#decoder.decode(chunk, { stream: true })
    // A line may end with CR, LF or both, and a chunk may end between the two.
    if (this.#endedWithReturn && text.startsWith('\n')) text = text.slice(1)
    if (text !== '') this.#endedWithReturn = text.endsWith('\r')
    const pieces = text.split(/\r\n|\n|\r/)
    for (const [index, piece] of pieces.entries()) {
      this.#line += piece
      this.#length += piece.length
      if (this.#length > this.#maxLength) return null
      if (index === pieces.length - 1) break
      const event = this.#endLine()
      if (event !== null) events.push(event)
    }
    return events
  }

  #endLine(): ServerEvent | null {
    const line = this.#line
    this.#line = ''
    if (line !== '') {
      const colon = line.indexOf(':')
      const name = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
      // A comment does not count.
      if (name === '') this.#length -= line.length
      else this.#setField(name, value)
      return null
    }
    const event = { ...this.#event, data: this.#data?.join('\n') ?? '' }
    const hasContent = this.#data !== null || event.id !== null || event.retryMs !== null
    this.#event = { ...empty }
    this.#data = null
    this.#length = 0
    return hasContent ? event : null
  }

  #setField(name: string, value: string): void {
    if (name === 'data') {
      this.#data ??= []
      this.#data.push(value)
    } else if (name === 'event') this.#event.type = value
    else if (name === 'id') this.#event.id = usableId.test(value) ? value : null
    else if (name === 'retry' && /^\d+$/.test(value))
      this.#event.retryMs = Math.min(Math.max(Number(value), minRetryMs), maxRetryMs)
  }
}

/** Serializes an event. */
export function writeEvent({ type, data, id, retryMs }: ServerEvent): string {
  const fields = [
    ...(type === '' ? [] : [`event: ${type}`]),
    ...(id === null ? [] : [`id: ${id}`]),
    ...(retryMs === null ? [] : [`retry: ${retryMs}`]),
    ...data.split('\n').map((line) => `data: ${line}`),
  ]
  return `${fields.join('\n')}\n\n`
}
