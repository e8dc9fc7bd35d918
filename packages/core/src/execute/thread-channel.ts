/** What a thread can send. Output is a byte stream; the others are messages of one or more frames. */
export const messageKinds = ['stdout', 'stderr', 'log', 'message', 'text', 'bytes'] as const
export type MessageKind = (typeof messageKinds)[number]

/** Deserializing structured data blocks the host for up to 0.2 s per MiB; strings and bytes are cheap. */
export const maxMessageBytes: number = 8 << 20
export const maxFlatBytes: number = 64 << 20

const ringBytes = 1 << 20
/** The kind, whether the frame is the last of its message, and three bytes of length. */
const headerBytes = 5
const frameBytes = ringBytes / 8
const payloadBytes = frameBytes - headerBytes

const limits: Readonly<Record<MessageKind, number>> = {
  stdout: payloadBytes,
  stderr: payloadBytes,
  log: payloadBytes,
  message: maxMessageBytes,
  text: maxFlatBytes,
  bytes: maxFlatBytes,
}

// The indexes of `counters`. The first two count bytes modulo 2^32.
const written = 0
const read = 1
const hostMessages = 2

/**
 * The channel from a thread to its host: a ring buffer in shared memory. A message port would accept any number of messages
 * and deliver them in one go; here, a thread waits until there is room.
 */
export interface ThreadChannel {
  readonly counters: Int32Array<SharedArrayBuffer>
  readonly ring: Uint8Array<SharedArrayBuffer>
}

export function createThreadChannel(): ThreadChannel {
  return {
    counters: new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)),
    ring: new Uint8Array(new SharedArrayBuffer(ringBytes)),
  }
}

/** Used by the thread. */
export class ChannelWriter {
  readonly #counters: Int32Array<SharedArrayBuffer>
  readonly #ring: Ring

  constructor({ counters, ring }: ThreadChannel) {
    this.#counters = counters
    this.#ring = new Ring(ring)
  }

  /** Blocks the thread while the ring is full. */
  write(kind: MessageKind, bytes: Uint8Array): void {
    if (bytes.length > limits[kind]) {
      throw new RangeError(`expected at most ${limits[kind]} bytes, got ${bytes.length}`)
    }
    let from = 0
    do {
      const to = Math.min(from + payloadBytes, bytes.length)
      this.#writeFrame(kind, to === bytes.length, bytes.subarray(from, to))
      from = to
    } while (from < bytes.length)
  }

  /** Splits output into frames. */
  writeOutput(kind: 'stdout' | 'stderr', bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += payloadBytes) {
      this.write(kind, bytes.subarray(from, from + payloadBytes))
    }
  }

  /** The number of messages that the host has posted; `waitForHostMessage` returns once there are more. */
  get hostMessages(): number {
    return Atomics.load(this.#counters, hostMessages)
  }

  waitForHostMessage(seen: number): void {
    Atomics.wait(this.#counters, hostMessages, seen)
  }

  #writeFrame(kind: MessageKind, isLast: boolean, payload: Uint8Array): void {
    const at = Atomics.load(this.#counters, written)
    const length = headerBytes + payload.length
    for (;;) {
      const done = Atomics.load(this.#counters, read)
      if (((at - done) | 0) + length <= ringBytes) break
      Atomics.wait(this.#counters, read, done)
    }
    const size = payload.length
    this.#ring.setByte(at, messageKinds.indexOf(kind))
    this.#ring.setByte(at + 1, isLast ? 1 : 0)
    for (let index = 0; index < 3; index++) this.#ring.setByte(at + 2 + index, size >> (8 * index))
    this.#ring.write(at + headerBytes, payload)
    Atomics.store(this.#counters, written, (at + length) | 0)
    Atomics.notify(this.#counters, written)
  }
}

export interface ChannelMessage {
  readonly kind: MessageKind
  readonly bytes: Buffer
}

/** Used by the host. It validates everything in the shared memory, which the thread may have corrupted. */
export class ChannelReader {
  readonly #counters: Int32Array<SharedArrayBuffer>
  readonly #ring: Ring
  #parts: Buffer[] = []
  #partKind: MessageKind | null = null
  #size = 0

  constructor({ counters, ring }: ThreadChannel) {
    this.#counters = counters
    this.#ring = new Ring(ring)
  }

  /** The next complete message; `null` if there is none yet. Throws if the shared memory is corrupted. */
  next(): ChannelMessage | null {
    for (let frame = this.#readFrame(); frame !== null; frame = this.#readFrame()) {
      const { kind, isLast, payload } = frame
      this.#size += payload.length
      if (this.#size > limits[kind])
        throw new RangeError(`expected at most ${limits[kind]} bytes in one message, got more`)
      if ((this.#partKind ?? kind) !== kind) throw new RangeError('a message started inside another one')
      if (isLast && this.#parts.length === 0) {
        this.#size = 0
        return { kind, bytes: payload }
      }
      this.#parts.push(payload)
      this.#partKind = kind
      if (!isLast) continue
      const bytes = Buffer.concat(this.#parts)
      this.#parts = []
      this.#partKind = null
      this.#size = 0
      return { kind, bytes }
    }
    return null
  }

  /** Resolves when the thread has written more than `seen`, or at `wake()`. */
  async more(seen: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.#counters, written, seen)
    if (waiting.async) await waiting.value
  }

  get written(): number {
    return Atomics.load(this.#counters, written)
  }

  wake(): void {
    Atomics.notify(this.#counters, written)
  }

  /** Wakes a thread that waits for a message. */
  countHostMessage(): void {
    Atomics.add(this.#counters, hostMessages, 1)
    Atomics.notify(this.#counters, hostMessages)
  }

  #readFrame(): { kind: MessageKind; isLast: boolean; payload: Buffer } | null {
    const at = Atomics.load(this.#counters, read)
    const available = (Atomics.load(this.#counters, written) - at) | 0
    if (available === 0) return null
    const kind = messageKinds[this.#ring.byte(at)]
    const isLast = this.#ring.byte(at + 1) === 1
    const length = this.#ring.byte(at + 2) | (this.#ring.byte(at + 3) << 8) | (this.#ring.byte(at + 4) << 16)
    // Only the last frame may be smaller; otherwise a message could consist of millions of frames.
    const isValidLength = isLast ? length <= payloadBytes : length === payloadBytes
    if (kind === undefined || !isValidLength || headerBytes + length > available) {
      throw new RangeError('the shared memory is corrupted')
    }
    const payload = this.#ring.read(at + headerBytes, length)
    Atomics.store(this.#counters, read, (at + headerBytes + length) | 0)
    Atomics.notify(this.#counters, read)
    return { kind, isLast, payload }
  }
}

/** A ring buffer that is addressed by positions that only grow. */
class Ring {
  readonly #bytes: Uint8Array<SharedArrayBuffer>

  constructor(bytes: Uint8Array<SharedArrayBuffer>) {
    this.#bytes = bytes
  }

  byte(position: number): number {
    return this.#bytes[position & (ringBytes - 1)]!
  }

  setByte(position: number, byte: number): void {
    this.#bytes[position & (ringBytes - 1)] = byte
  }

  write(position: number, bytes: Uint8Array): void {
    const at = position & (ringBytes - 1)
    const fits = Math.min(bytes.length, ringBytes - at)
    this.#bytes.set(bytes.subarray(0, fits), at)
    this.#bytes.set(bytes.subarray(fits), 0)
  }

  /** A copy, because shared memory may change at any time. */
  read(position: number, length: number): Buffer {
    const at = position & (ringBytes - 1)
    const fits = Math.min(length, ringBytes - at)
    const bytes = Buffer.allocUnsafe(length)
    bytes.set(this.#bytes.subarray(at, at + fits))
    bytes.set(this.#bytes.subarray(0, length - fits), fits)
    return bytes
  }
}
