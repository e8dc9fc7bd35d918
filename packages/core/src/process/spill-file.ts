import { createWriteStream, type WriteStream } from 'node:fs'

/** A command that never stops writing must not fill the disk. */
const maxBytes = 1 << 30

/** The output of a command as it comes, up to 1 GiB. A file that cannot be written must not hold up the command. */
export class SpillFile {
  #stream: WriteStream | null
  #room: number

  /** `onReady` is called when a file that was full can take more, or will never take anything. */
  constructor(path: string, onReady: () => void, bytes: number = maxBytes) {
    this.#room = bytes
    this.#stream = createWriteStream(path, { mode: 0o600 })
    this.#stream.on('drain', onReady).on('error', () => {
      this.#stream = null
      onReady()
    })
  }

  /** `false` if it would rather have no more for now: a slow disk holds the command back, not our memory. */
  write(chunk: Buffer): boolean {
    if (this.#room === 0) return true
    const taken = Buffer.from(chunk.subarray(0, this.#room))
    this.#room -= taken.length
    return this.#stream?.write(taken) ?? true
  }

  end(onEnd: () => void): void {
    if (this.#stream === null) onEnd()
    else this.#stream.end(onEnd)
  }
}
