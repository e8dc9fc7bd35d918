import type { Runtime } from '@curfew/core'
import { type LiveFrame, type RowsDrawing, showLiveRows } from '../live/show-live-rows.ts'

const indent = '  '

/** Shows the running calls, or what the demo waits for, until the returned function is called. */
export function showDemoRows(runtime: Runtime, width: number, label: string | undefined): () => void {
  const load = (): Promise<RowsDrawing> => (label === undefined ? loadCalls(runtime) : loadLabel(label))
  const rows = showLiveRows({
    stream: process.stdout,
    load: async () => {
      const drawing = await load()
      return {
        ...drawing,
        draw: (frame) => drawing.draw(inside(frame, width)).map((line) => indent + line),
      }
    },
  })
  return rows.stop
}

/** Below the other lines of the demo, which are not wider. */
function inside(frame: LiveFrame, width: number): LiveFrame {
  return { ...frame, width: Math.min(frame.width, width) - indent.length }
}

async function loadCalls(runtime: Runtime): Promise<RowsDrawing> {
  return (await import('../live/live-call-lines.ts')).drawLiveCalls(runtime, process.stdout)
}

async function loadLabel(label: string): Promise<RowsDrawing> {
  const [{ spinnerAt }, { fitLine }, { liveTheme }] = await Promise.all([
    import('../live/live-call-lines.ts'),
    import('../tui/calls/fit-line.ts'),
    import('../live/live-theme.ts'),
  ])
  const theme = liveTheme(process.stdout)
  return {
    draw: ({ width, now }) => [`${theme.accent(spinnerAt(now))} ${theme.muted(fitLine(label, width - 2))}`],
  }
}
