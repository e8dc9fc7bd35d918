import { type Instance, type RenderOptions, render } from 'ink'
import type { ReactNode } from 'react'
import { FrameRows } from './frame-rows.ts'
import { frameStream } from './frame-stream.ts'

/** Ink's `render` with the options that all our screens share. */
export function renderApp(
  app: ReactNode,
  { stdout = process.stdout, ...options }: RenderOptions = {},
): Instance {
  const rows = new FrameRows()
  const onResize = (): void => {
    const extra = rows.extraRows((stdout as NodeJS.WriteStream).columns || 80)
    // Ink erases the rows that it has drawn, and these are what else they have been wrapped to.
    if (extra > 0) stdout.write(`\u001b[${extra}A\u001b[J`)
  }
  // Before Ink's own listener.
  stdout.on('resize', onResize)
  const instance = render(app, {
    // Also if `CI` is set: whoever calls this has checked that there is a terminal.
    interactive: true,
    // Writes only the rows that changed.
    incrementalRendering: true,
    // Ctrl-C is a key like any other.
    exitOnCtrlC: false,
    ...options,
    stdout: frameStream(stdout, rows),
  })
  const removeListener = (): void => void stdout.off('resize', onResize)
  void instance.waitUntilExit().then(removeListener, removeListener)
  return instance
}
