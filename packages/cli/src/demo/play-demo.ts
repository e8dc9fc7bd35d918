import { outputClosed } from '../write.ts'
import type { DemoReporter } from './demo-reporter.ts'
import { jsonReporter } from './json-reporter.ts'
import { runDemo } from './run-demo.ts'
import { scenes } from './scenes/scenes.ts'
import { TextReporter } from './text-reporter.ts'

/** Runs all scenes and returns the exit code. */
export async function playDemo(json: boolean): Promise<number> {
  const reporter = json ? jsonReporter : textReporter()
  const interruption = new AbortController()
  let exitCode = 1
  const interrupt = (code: number): void => {
    exitCode = code
    interruption.abort()
  }
  // As a shell reports it: 128 plus the signal number.
  onFirst('SIGINT', () => interrupt(130))
  onFirst('SIGTERM', () => interrupt(143))
  outputClosed.addEventListener('abort', () => interrupt(141))
  try {
    const { ok } = await runDemo(scenes, reporter, interruption.signal)
    return ok ? 0 : 1
  } catch (error) {
    if (interruption.signal.aborted) return exitCode
    throw error
  }
}

/** A second signal has its default effect. Not `once`: Ink, which draws the live rows, ends the process if nobody else listens. */
function onFirst(signal: NodeJS.Signals, run: () => void): void {
  const listener = (): void => {
    process.nextTick(() => process.off(signal, listener))
    run()
  }
  process.on(signal, listener)
}

/** The narrowest width that the lines are made for; in narrower terminals they wrap. */
const minWidth = 60

function textReporter(): DemoReporter {
  const { isTTY, columns } = process.stdout
  // Some terminals wrap when the last column is used.
  const width = isTTY ? Math.min(Math.max(columns - 1, minWidth), 119) : 79
  return new TextReporter({ width, live: isTTY })
}
