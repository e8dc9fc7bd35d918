export { type ContainmentFinding, containmentReport } from './containment-report.ts'
export { describeResult, type ProcessReport } from './describe-result.ts'
export {
  type ProcessOptions,
  type ProcessResult,
  type RunningProcess,
  runProcess,
  type StopSignal,
  startProcess,
} from './run-process.ts'
