import { PassThrough } from 'node:stream'
import { type Instance, useStdout } from 'ink'
import type { ReactNode } from 'react'
import { TextLines } from '../tui/calls/call-row-view.tsx'
import { renderApp } from '../tui/ink/render-app.ts'

/** The rows, drawn by Ink. */
export class LiveRowsView {
  readonly #stream: NodeJS.WriteStream
  #instance: Instance | null = null
  #redraw: () => void = () => {}

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = withoutCursorControl(stream)
  }

  show(lines: readonly string[]): void {
    if (this.#instance !== null) return
    this.#instance = renderApp(this.#rows(lines), {
      stdout: this.#stream,
      // The terminal's own input stays as it is, and Ctrl-C a signal.
      stdin: new PassThrough() as unknown as NodeJS.ReadStream,
      patchConsole: false,
    })
  }

  /** Does nothing while the rows are hidden. */
  update(lines: readonly string[]): void {
    this.#instance?.rerender(this.#rows(lines))
  }

  hide(): void {
    this.#instance?.clear()
    this.#instance?.unmount()
    this.#instance?.cleanup()
    this.#instance = null
  }

  print(write: () => void): void {
    this.#instance?.clear()
    write()
    if (this.#instance !== null) this.#redraw()
  }

  #rows(lines: readonly string[]): ReactNode {
    return (
      <Rows
        lines={lines}
        onMount={(redraw) => {
          this.#redraw = redraw
        }}
      />
    )
  }
}

interface RowsProps {
  readonly lines: readonly string[]
  readonly onMount: (redraw: () => void) => void
}

function Rows({ lines, onMount }: RowsProps): ReactNode {
  const { write } = useStdout()
  // Ink draws the last frame again after what is written above it.
  onMount(() => write(''))
  return <TextLines text={lines.join('\n')} />
}

/** Ink hides the cursor of a terminal; after Ctrl-Z or a crash, it would stay hidden in the shell. */
function withoutCursorControl(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'isTTY') return false
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
