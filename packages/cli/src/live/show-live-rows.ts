import { isTerminalInUse, onTerminalUse } from '../ask/with-terminal.ts'
import type { LiveRowsView } from './live-rows-view.tsx'

/** What the rows are drawn with. */
export interface LiveFrame {
  readonly width: number
  /** The maximum number of lines. */
  readonly height: number
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface RowsDrawing {
  /** Returns the lines to draw now, each of at most `width` columns. */
  draw(frame: LiveFrame): readonly string[]
  dispose?(): void
}

export interface LiveRowsOptions {
  /** A terminal. */
  readonly stream: NodeJS.WriteStream
  /** Loads what draws the rows, when there is something to draw. */
  readonly load: () => Promise<RowsDrawing>
}

export interface LiveRows {
  /** Runs a function that writes whole lines to the terminal; the rows stay below them. */
  print(write: () => void): void
  /** Hides the rows. Returns a function that shows them again. */
  suspend(): () => void
  /** Removes the rows. */
  stop(): void
}

/** What is over sooner needs no rows, and Ink, which draws them, takes a while to load. */
const showAfterMs = 300
const frameMs = 150

/** Draws rows at the end of the terminal until they are stopped. They make room for questions, and never read input. */
export function showLiveRows({ stream, load }: LiveRowsOptions): LiveRows {
  let view: LiveRowsView | null = null
  let drawing: RowsDrawing = { draw: () => [] }
  let isStopped = false
  // Without rows, everything else still works.
  let timer: NodeJS.Timeout = setTimeout(() => void show().catch(() => {}), showAfterMs)

  const frame = (): readonly string[] =>
    drawing.draw({
      width: stream.columns || 80,
      height: Math.max(1, (stream.rows || 24) - 2),
      now: Date.now(),
    })

  async function show(): Promise<void> {
    // It cannot erase lines.
    if (process.env.TERM === 'dumb') return
    const [{ LiveRowsView }, loaded] = await Promise.all([import('./live-rows-view.tsx'), load()])
    drawing = loaded
    if (isStopped) return drawing.dispose?.()
    view = new LiveRowsView(stream)
    if (!isTerminalInUse()) view.show(frame())
    timer = setInterval(() => view?.update(frame()), frameMs)
  }

  const unsubscribe = onTerminalUse((isInUse) => {
    if (isInUse) view?.hide()
    else view?.show(frame())
  })

  return {
    print(write) {
      if (view === null) write()
      else view.print(write)
    },
    suspend() {
      view?.hide()
      return () => {
        if (!isStopped && !isTerminalInUse()) view?.show(frame())
      }
    },
    stop() {
      if (isStopped) return
      isStopped = true
      clearTimeout(timer)
      unsubscribe()
      view?.hide()
      view = null
      drawing.dispose?.()
    },
  }
}
