import { createRuntime, type Runtime } from '@curfew/core'
import { callEdges } from '@curfew/core/internal'
import { type CallReport, type Claim, graceMs, type Scene, type SceneReport } from './scene.ts'
import { SceneRunner } from './scene-runner.ts'

export interface DemoReport {
  readonly scenes: readonly SceneReport[]
  readonly calls: number
  readonly asExpected: number
  readonly failedClaims: number
  /** Calls without a result. */
  readonly leftRunning: number
  /** Functions that ignored their signal: their calls have ended, their code may still run. */
  readonly abandoned: number
  /** Processes that outlived their call. */
  readonly survivors: number
  readonly elapsedMs: number
  /** Every call ended as expected, every claim is true, and no call is left running. */
  readonly ok: boolean
}

/** Runs the scenes in order on one runtime. Rejects only if the signal is aborted. */
export async function runDemo(
  scenes: readonly Scene[],
  reporter: DemoReporter | null,
  signal: AbortSignal,
): Promise<DemoReport> {
  const startedAt = performance.now()
  const runtime = createRuntime({
    grace: graceMs,
    breaker: { failures: 3, cooldown: '1500ms' },
    approval: { rules: { allow: ['script_start_server', 'timeout'] } },
    log: () => {},
  })
  try {
    reporter?.begin(runtime)
    const reports: SceneReport[] = []
    let survivors = 0
    for (const [index, scene] of scenes.entries()) {
      reporter?.scene(index + 1, scene.title)
      const runner = new SceneRunner(runtime, reporter, signal, index + 1)
      await scene.run(runner)
      survivors += runner.survivors
      reports.push({ title: scene.title, calls: runner.calls, claims: runner.claims })
    }
    const { calls, late } = runtime.getSnapshot()
    const leftRunning = calls.filter(({ status }) => callEdges[status].length > 0).length
    const abandoned = late.abandonedRunning
    const elapsedMs = performance.now() - startedAt
    const report = { ...summarize(reports, leftRunning), abandoned, survivors, elapsedMs }
    reporter?.end(report)
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

/** Receives the demo's events and prints them. */
export interface DemoReporter {
  begin(runtime: Runtime): void
  scene(number: number, title: string): void
  /** Called when something starts; returns a function to call when it has ended. */
  running(label?: string): () => void
  call(report: CallReport): void
  claim(claim: Claim): void
  end(report: DemoReport): void
}
