import { createWriteStream, type WriteStream } from 'node:fs'

/** Keeps endless output from filling the disk. */
const maxBytes = 1 << 30

/** Writes a command's output to a file as it arrives, up to 1 GiB. A write error does not affect the command. */
export class SpillFile {
  #stream: WriteStream | null
  #room: number

  /** `onReady` is called when writing may continue, or has failed permanently. */
  constructor(path: string, onReady: () => void, bytes: number = maxBytes) {
    this.#room = bytes
    this.#stream = createWriteStream(path, { mode: 0o600 })
    this.#stream.on('drain', onReady).on('error', () => {
      this.#stream = null
      onReady()
    })
  }

  /** `false` if the caller should pause: a slow disk slows the command down instead of filling our memory. */
  write(chunk: Buffer): boolean {
    if (this.#room === 0) return true
    const part = Buffer.from(chunk.subarray(0, this.#room))
    this.#room -= part.length
    return this.#stream?.write(part) ?? true
  }

  end(onEnd: () => void): void {
    if (this.#stream === null) onEnd()
    else this.#stream.end(onEnd)
  }
}
