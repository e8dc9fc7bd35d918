export { type ContainmentFinding, containmentReport } from './containment-report.ts'
export { describeResult, type ProcessReport } from './describe-result.ts'
export type { ProcessOptions, ProcessResult, RunningProcess, StopSignal } from './process-options.ts'
export { runProcess, startProcess } from './run-process.ts'
