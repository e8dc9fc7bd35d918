import { outputClosed, write } from '../write.ts'
import { type DemoReport, type DemoReporter, runDemo } from './run-demo.ts'
import type { CallReport } from './scene.ts'
import { scenes } from './scenes/scenes.ts'
import { TextReporter } from './text-reporter.ts'

/** Runs all scenes and returns the exit code. */
export async function playDemo(json: boolean): Promise<number> {
  const reporter = json ? null : textReporter()
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
    const report = await runDemo(scenes, reporter, interruption.signal)
    if (json) write(`${JSON.stringify(toJson(report), null, 2)}\n`)
    return report.ok ? 0 : 1
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

const maxContentLength = 1_000

function toJson({ scenes, ...summary }: DemoReport): object {
  return {
    ...summary,
    elapsedMs: Math.round(summary.elapsedMs),
    scenes: scenes.map(({ title, calls, claims }) => ({ title, calls: calls.map(callToJson), claims })),
  }
}

function callToJson({ result, elapsedMs, problems }: CallReport): object {
  const { id, name, status, timeoutMs, timeoutSource, content, output } = result
  const failure = result.status === 'success' ? null : result
  return {
    id,
    name,
    status,
    code: failure?.code ?? null,
    message: failure?.message ?? null,
    elapsedMs: Math.round(elapsedMs),
    timeoutMs,
    timeoutSource,
    abandoned: failure?.abandoned ?? false,
    retrySafe: failure?.retrySafe ?? null,
    content: content.slice(0, maxContentLength),
    contentLength: content.length,
    output,
    asExpected: problems.length === 0,
    problems,
  }
}
