import { EventEmitter } from 'node:events'
import xterm from '@xterm/headless'
import { type Instance, render } from 'ink'
import type { ReactNode } from 'react'
import { afterEach } from 'vitest'

const open: HeadlessScreen[] = []
afterEach(() => {
  for (const screen of open.splice(0)) screen.close()
})

/** A terminal without a window, in which Ink draws. */
export class HeadlessScreen {
  readonly #terminal: InstanceType<typeof xterm.Terminal>
  readonly #instance: Instance
  readonly stdout: FakeStdout
  #pending = 0

  constructor(node: ReactNode, { columns = 80, rows = 24 }: { columns?: number; rows?: number } = {}) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true })
    this.stdout = new FakeStdout(columns, rows, (text) => {
      this.#pending++
      this.#terminal.write(text, () => this.#pending--)
    })
    this.#instance = render(node, {
      stdout: this.stdout as unknown as NodeJS.WriteStream,
      stdin: new FakeStdin() as unknown as NodeJS.ReadStream,
      interactive: true,
      incrementalRendering: true,
      patchConsole: false,
      exitOnCtrlC: false,
    })
    open.push(this)
  }

  /** What is visible, without spaces at the end of lines and empty lines at the end. */
  async text(): Promise<string> {
    await this.#instance.waitUntilRenderFlush()
    while (this.#pending > 0) await new Promise((resolve) => setImmediate(resolve))
    const { active } = this.#terminal.buffer
    const lines = Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    )
    return lines.join('\n').trimEnd()
  }

  rerender(node: ReactNode): void {
    this.#instance.rerender(node)
  }

  close(): void {
    this.#instance.unmount()
    this.#instance.cleanup()
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

class FakeStdin extends EventEmitter {
  readonly isTTY = true
  setRawMode(): void {}
  setEncoding(): void {}
  ref(): void {}
  unref(): void {}
  read(): null {
    return null
  }
}
