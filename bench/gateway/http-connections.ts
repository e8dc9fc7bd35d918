import { connect, type Socket } from 'node:net'

/** Receives a response. */
export interface HttpReader {
  readonly start?: ((status: number, headers: ReadonlyMap<string, string>) => void) | undefined
  readonly text?: ((text: string) => void) | undefined
  readonly end?: (() => void) | undefined
  readonly failed: (error: Error) => void
}

/** Servers close connections that were idle for five seconds, so older ones are not reused. */
const maxIdleMs = 2_000

/**
 * Keep-alive connections with one request at a time each. Implements only as much of HTTP/1.1 as is needed for responses with a length
 * or in chunks, so that the client's own cost stays small.
 */
export class HttpConnections {
  readonly #url: URL
  readonly #idle: Connection[] = []
  readonly #all = new Set<Connection>()

  constructor(url: URL) {
    this.#url = url
  }

  /** `head` contains the request line and the headers, each with its line ending. */
  send(head: string, body: string, reader: HttpReader): void {
    const connection = this.#takeIdle() ?? this.#open()
    connection.send(
      `${head}host: ${this.#url.host}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      reader,
    )
  }

  close(): void {
    for (const connection of this.#all) connection.close()
  }

  #takeIdle(): Connection | undefined {
    const connection = this.#idle.pop()
    if (connection === undefined || performance.now() - connection.idleSince < maxIdleMs) return connection
    // The others have been idle for longer.
    for (const old of [connection, ...this.#idle.splice(0)]) old.close()
    return undefined
  }

  #open(): Connection {
    const connection: Connection = new Connection(this.#url, {
      idle: () => this.#idle.push(connection),
      closed: () => {
        this.#all.delete(connection)
        const index = this.#idle.indexOf(connection)
        if (index >= 0) this.#idle.splice(index, 1)
      },
    })
    this.#all.add(connection)
    return connection
  }
}

class Connection {
  idleSince = 0
  readonly #socket: Socket
  readonly #idle: () => void
  #reader: HttpReader | null = null
  #rest = ''
  /** Length of the body; `null` while the head is being read. */
  #length: number | 'chunked' | null = null

  constructor({ hostname, port }: URL, events: { idle: () => void; closed: () => void }) {
    this.#idle = events.idle
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true })
    // Latin-1 has one byte per character, and this bench sends only ASCII.
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#read(text))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => {
      this.#fail(new Error('the server closed the connection'))
      events.closed()
    })
  }

  send(request: string, reader: HttpReader): void {
    this.#reader = reader
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    const reader = this.#reader
    this.#reader = null
    reader?.failed(error)
  }

  #read(text: string): void {
    this.#rest += text
    let more = this.#reader !== null
    while (more) more = this.#readPart()
  }

  /** False if it needs more data. */
  #readPart(): boolean {
    if (this.#length === null) return this.#readHead()
    return this.#length === 'chunked' ? this.#readChunk() : this.#readWhole(this.#length)
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf('\r\n\r\n')
    if (end < 0) return false
    const [first, ...lines] = this.#rest.slice(0, end).split('\r\n')
    this.#rest = this.#rest.slice(end + 4)
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const isChunked = headers.get('transfer-encoding') === 'chunked'
    this.#length = isChunked ? 'chunked' : Number(headers.get('content-length') ?? 0)
    this.#reader!.start?.(Number(first!.slice(9, 12)), headers)
    return true
  }

  #readWhole(length: number): boolean {
    if (this.#rest.length < length) return false
    this.#reader!.text?.(this.#rest.slice(0, length))
    this.#rest = this.#rest.slice(length)
    return this.#end()
  }

  #readChunk(): boolean {
    const line = this.#rest.indexOf('\r\n')
    if (line < 0) return false
    const length = Number.parseInt(this.#rest, 16)
    const next = line + 2 + length + 2
    if (this.#rest.length < next) return false
    const chunk = this.#rest.slice(line + 2, line + 2 + length)
    this.#rest = this.#rest.slice(next)
    if (length === 0) return this.#end()
    this.#reader!.text?.(chunk)
    return true
  }

  #end(): boolean {
    const reader = this.#reader!
    this.#reader = null
    this.#length = null
    this.idleSince = performance.now()
    this.#idle()
    reader.end?.()
    return false
  }
}
