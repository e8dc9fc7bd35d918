import { type Instance, type RenderOptions, render } from 'ink'
import type { ReactNode } from 'react'
import { frameStream } from './frame-stream.ts'

/** Ink's `render` with the options that all our screens share. */
export function renderApp(
  app: ReactNode,
  { stdout = process.stdout, ...options }: RenderOptions = {},
): Instance {
  return render(app, {
    // Also if `CI` is set: whoever calls this has checked that there is a terminal.
    interactive: true,
    // Writes only the rows that changed.
    incrementalRendering: true,
    // Ink draws at two thirds of this rate. Whatever changes often is drawn less often by its own clock.
    maxFps: 60,
    // Ctrl-C is a key like any other.
    exitOnCtrlC: false,
    ...options,
    stdout: frameStream(stdout),
  })
}
