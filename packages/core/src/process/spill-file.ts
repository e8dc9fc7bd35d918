import { createWriteStream, type WriteStream } from 'node:fs'

/** The whole output of a command, as it comes. A file that cannot be written must not hold up the command. */
export class SpillFile {
  #stream: WriteStream | null

  /** `onReady` is called when a file that was full can take more, or will never take anything. */
  constructor(path: string, onReady: () => void) {
    this.#stream = createWriteStream(path, { mode: 0o600 })
    this.#stream.on('drain', onReady).on('error', () => {
      this.#stream = null
      onReady()
    })
  }

  /** `false` if it would rather have no more for now: a slow disk holds the command back, not our memory. */
  write(chunk: Buffer): boolean {
    return this.#stream?.write(Buffer.from(chunk)) ?? true
  }

  end(onEnd: () => void): void {
    if (this.#stream === null) onEnd()
    else this.#stream.end(onEnd)
  }
}
