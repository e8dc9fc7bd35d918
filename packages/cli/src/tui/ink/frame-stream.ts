/**
 * The stream that Ink writes to. It passes on a frame as one write, with nothing for rows that did not change, and writes nothing if
 * the whole frame did not change.
 */
export function frameStream<Stream extends NodeJS.WritableStream>(stdout: Stream): Stream {
  const frames = new FrameWriter((data, done) => stdout.write(data, done))
  return new Proxy(stdout, {
    get(target, name) {
      if (name === 'write') return frames.write
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Ink puts each frame between these, in separate writes. */
const begin = '\x1b[?2026h'
const end = '\x1b[?2026l'

type Done = (error?: Error | null) => void

class FrameWriter {
  /** The writes since `begin`. */
  #frame: string[] | undefined
  readonly #pass: (data: string | Uint8Array, done?: Done) => boolean

  constructor(pass: (data: string | Uint8Array, done?: Done) => boolean) {
    this.#pass = pass
  }

  write = (data: string | Uint8Array, encodingOrDone?: BufferEncoding | Done, done?: Done): boolean => {
    const callback = typeof encodingOrDone === 'function' ? encodingOrDone : done
    if (typeof data !== 'string' || callback !== undefined) {
      this.#flush()
      return this.#pass(data, callback)
    }
    if (data === begin) return this.#begin()
    if (this.#frame === undefined) return this.#pass(joinMoves(data))
    this.#frame.push(data)
    return data === end ? this.#flush() : true
  }

  #begin(): boolean {
    if (this.#frame === undefined) {
      this.#frame = []
      // Ink writes a whole frame at once; the rest of one that failed must not wait for the next.
      queueMicrotask(() => this.#flush())
    }
    return true
  }

  #flush(): boolean {
    const frame = this.#frame?.join('') ?? ''
    this.#frame = undefined
    return frame === '' || frame === end ? true : this.#pass(`${begin}${joinMoves(frame)}`)
  }
}

/**
 * Ink moves the cursor down by one line for each row that did not change, and from the input to the last row before it goes up. The rows
 * below the input may be gone, because terminals that become lower drop them first: a move down would then end too early, and the
 * move up in rows that are not ours. So only the sum of both is written.
 */
function joinMoves(data: string): string {
  return data
    .replaceAll(nextLines, (moves) => `\x1b[${moves.length / 3}E`)
    .replaceAll(downAndUp, (_, down: string, up: string) => moveUp(countOf(up) - countOf(down)))
    .replaceAll(nextLinesAndUp, (_, next: string, up: string) => moveUp(countOf(up) - countOf(next)))
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: the start of a control sequence
const nextLines = /(?:\x1b\[E){2,}/g
const downAndUp = /\x1b\[(\d*)B\x1b\[1?G\x1b\[(\d*)A/g
const nextLinesAndUp = /\x1b\[(\d*)E\x1b\[(\d*)A/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: the start of a control sequence

/** To the first column. */
function moveUp(rows: number): string {
  if (rows === 0) return '\x1b[G'
  return rows > 0 ? `\x1b[${rows}F` : `\x1b[${-rows}E`
}

/** A move without a number is by one. */
function countOf(digits: string): number {
  return digits === '' ? 1 : Number(digits)
}
