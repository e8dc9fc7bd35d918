import type { Runtime } from '@curfew/core'
import { CallSpans } from './call-spans.ts'
import { tracedRuntime } from './traced-runtime.ts'
import { Tracing } from './tracing.ts'

export interface TraceRuntimeOptions {
  /**
   * Record what calls contain: arguments, results, error messages and the descriptions of tools; without secrets, and shortened.
   * @default false
   */
  readonly content?: boolean | undefined
  /**
   * The id of the saved conversation that new calls belong to.
   * @default an id for each conversation of the runtime
   */
  readonly session?: (() => string | null) | undefined
}

/**
 * Records a span for every call of a runtime from now on, and makes it the active one inside its tool. Returns a function that stops
 * that and ends open spans. Throws `INVALID_OPTION` if `@opentelemetry/api` is not installed.
 */
export function traceRuntime(runtime: Runtime, options: TraceRuntimeOptions = {}): () => void {
  const { content = false, session } = options
  const traced = tracedRuntime(runtime)
  if (session !== undefined) traced.session = session
  const spans = new CallSpans(new Tracing(), runtime, traced, content)
  const stopObserving = runtime.onTransition((transition) => spans.onTransition(transition))
  const removeMiddleware = runtime.use((call, next) => spans.run(call, next))
  return () => {
    stopObserving()
    removeMiddleware()
    spans.endAll()
  }
}
