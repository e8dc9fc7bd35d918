import { EventEmitter } from 'node:events'
import xterm from '@xterm/headless'

/** A terminal without a window. */
export class HeadlessTerminal {
  readonly #terminal: InstanceType<typeof xterm.Terminal>
  readonly stdout: FakeStdout
  #pending = 0

  constructor({ columns = 80, rows = 24 }: { columns?: number; rows?: number } = {}) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true })
    this.stdout = new FakeStdout(columns, rows, (text) => {
      this.#pending++
      this.#terminal.write(text, () => this.#pending--)
    })
  }

  /** What is visible, without spaces at the end of lines and empty lines at the end. */
  async text(): Promise<string> {
    while (this.#pending > 0) await new Promise((resolve) => setImmediate(resolve))
    const { active } = this.#terminal.buffer
    const lines = Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    )
    return lines.join('\n').trimEnd()
  }

  dispose(): void {
    this.#terminal.dispose()
  }
}

class FakeStdout extends EventEmitter {
  readonly columns: number
  readonly rows: number
  readonly isTTY = true
  /** The number of characters that were written. */
  written = 0
  readonly #write: (text: string) => void

  constructor(columns: number, rows: number, write: (text: string) => void) {
    super()
    this.columns = columns
    this.rows = rows
    this.#write = write
  }

  write(chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean {
    this.written += chunk.length
    this.#write(String(chunk))
    for (const callback of rest) if (typeof callback === 'function') callback()
    return true
  }
}
