import { EventEmitter } from 'node:events'
import { render } from 'ink'
import type { ReactNode } from 'react'
import { afterEach } from 'vitest'

export interface RenderedInTerminal {
  /** What the terminal shows. */
  frame(): string
  /** The number of frames that were written. */
  readonly frames: number
  /** Types a key. */
  press(key: string): void
  rerender(node: ReactNode): void
  unmount(): void
}

const unmounts: (() => void)[] = []
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount()
})

/** Renders with Ink, every change at once. */
export function renderInTerminal(node: ReactNode): RenderedInTerminal {
  const stdout = new FakeStdout()
  const stdin = new FakeStdin()
  const instance = render(node, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
    debug: true,
    patchConsole: false,
    exitOnCtrlC: false,
    interactive: true,
  })
  const unmount = (): void => {
    instance.unmount()
    instance.cleanup()
  }
  unmounts.push(unmount)
  return {
    frame: () => stdout.frames.at(-1) ?? '',
    get frames() {
      return stdout.frames.length
    },
    press: (key) => stdin.type(key),
    rerender: instance.rerender,
    unmount,
  }
}

/** Two turns of the event loop: what has changed was rendered. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
}

class FakeStdout extends EventEmitter {
  readonly columns = 100
  readonly rows = 40
  readonly isTTY = true
  readonly frames: string[] = []

  write(chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean {
    this.frames.push(String(chunk))
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
  #typed: string[] = []

  type(key: string): void {
    this.#typed.push(key)
    this.emit('readable')
  }

  read(): string | null {
    return this.#typed.shift() ?? null
  }
}
