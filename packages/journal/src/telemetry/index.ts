export { flushTelemetry } from './flush-telemetry.ts'
export { type TracedModel, type TraceModelOptions, traceModel } from './trace-model.ts'
export { type TraceRuntimeOptions, traceRuntime } from './trace-runtime.ts'
export {
  type TracedTurn,
  type TracedTurnEnd,
  type TraceTurnsOptions,
  type TurnTracer,
  traceTurns,
} from './trace-turns.ts'
