import { callEdges, createRuntime } from '@curfew/core'
import type { Audience } from './audience.ts'
import { graceMs } from './check-call.ts'
import type { Scene, SceneReport } from './scene.ts'
import { Stage } from './stage.ts'

export interface DemoReport {
  readonly scenes: readonly SceneReport[]
  readonly calls: number
  readonly asExpected: number
  readonly failedClaims: number
  /** Calls that have no result yet. */
  readonly leftRunning: number
  /** Tools that ignored their signal: their calls have ended, their code may not have. */
  readonly abandoned: number
  /** Processes that outlived their call. */
  readonly survivors: number
  readonly elapsedMs: number
  /** Everything ended as it should, and nothing is left. */
  readonly ok: boolean
}

/** Plays the scenes one after the other on one runtime. Rejects only if the signal is aborted. */
export async function runDemo(
  scenes: readonly Scene[],
  audience: Audience,
  signal: AbortSignal,
): Promise<DemoReport> {
  const startedAt = performance.now()
  const runtime = createRuntime({
    grace: graceMs,
    breaker: { failures: 3, cooldown: '1500ms' },
    // What its own scenes run needs no question.
    approval: { rules: { allow: ['script_start_server', 'timeout'] } },
    log: () => {},
  })
  try {
    audience.begin(runtime)
    const reports: SceneReport[] = []
    let survivors = 0
    for (const [index, scene] of scenes.entries()) {
      audience.scene(index + 1, scene.title)
      const stage = new Stage(runtime, audience, signal, index + 1)
      await scene.run(stage)
      survivors += stage.survivors
      reports.push({ title: scene.title, calls: stage.calls, claims: stage.claims })
    }
    const { calls, late } = runtime.getSnapshot()
    const leftRunning = calls.filter(({ status }) => callEdges[status].length > 0).length
    const abandoned = late.abandonedRunning
    const elapsedMs = performance.now() - startedAt
    const report = { ...summarize(reports, leftRunning), abandoned, survivors, elapsedMs }
    audience.end(report)
    return report
  } finally {
    await runtime.close()
  }
}

function summarize(
  scenes: readonly SceneReport[],
  leftRunning: number,
): Omit<DemoReport, 'abandoned' | 'survivors' | 'elapsedMs'> {
  const calls = scenes.flatMap((scene) => scene.calls)
  const asExpected = calls.filter(({ problems }) => problems.length === 0).length
  const failedClaims = scenes.flatMap((scene) => scene.claims).filter(({ holds }) => !holds).length
  const ok = asExpected === calls.length && failedClaims === 0 && leftRunning === 0
  return { scenes, calls: calls.length, asExpected, failedClaims, leftRunning, ok }
}
