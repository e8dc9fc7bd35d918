import type { Runtime } from '@curfew/core'
import type { DemoReport } from './run-demo.ts'
import type { CallReport, Claim } from './scene.ts'

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
