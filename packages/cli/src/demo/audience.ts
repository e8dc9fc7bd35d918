import type { Runtime } from '@curfew/core'
import type { DemoReport } from './run-demo.ts'
import type { CallReport, Claim } from './scene.ts'

/** Whoever is shown the demo. */
export interface Audience {
  begin(runtime: Runtime): void
  scene(number: number, title: string): void
  /** Something is running; returns how to say that it is over. */
  running(label?: string): () => void
  call(report: CallReport): void
  claim(claim: Claim): void
  end(report: DemoReport): void
}
