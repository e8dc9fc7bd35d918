import { write } from '../write.ts'
import type { DemoReporter } from './demo-reporter.ts'
import type { DemoReport } from './run-demo.ts'
import type { CallReport } from './scene.ts'

const maxContentLength = 1_000

/** Prints one JSON object at the end. */
export const jsonReporter: DemoReporter = {
  begin() {},
  scene() {},
  running: () => () => {},
  call() {},
  claim() {},
  end: (report) => write(`${JSON.stringify(toJson(report), null, 2)}\n`),
}

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
