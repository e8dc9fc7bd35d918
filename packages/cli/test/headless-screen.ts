import { EventEmitter } from 'node:events'
import { type Instance, render } from 'ink'
import type { ReactNode } from 'react'
import { afterEach } from 'vitest'
import { HeadlessTerminal } from './headless-terminal.ts'

const open: HeadlessScreen[] = []
afterEach(() => {
  for (const screen of open.splice(0)) screen.close()
})

/** Ink in a terminal without a window. */
export class HeadlessScreen {
  readonly #terminal: HeadlessTerminal
  readonly #instance: Instance

  constructor(node: ReactNode, size: { columns?: number; rows?: number } = {}) {
    this.#terminal = new HeadlessTerminal(size)
    this.#instance = render(node, {
      stdout: this.#terminal.stdout as unknown as NodeJS.WriteStream,
      stdin: new FakeStdin() as unknown as NodeJS.ReadStream,
      interactive: true,
      incrementalRendering: true,
      patchConsole: false,
      exitOnCtrlC: false,
    })
    open.push(this)
  }

  /** The number of characters that were written. */
  get written(): number {
    return this.#terminal.stdout.written
  }

  /** What is visible once everything is drawn. */
  async text(): Promise<string> {
    await this.#instance.waitUntilRenderFlush()
    return await this.#terminal.text()
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
