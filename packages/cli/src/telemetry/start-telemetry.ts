import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { TurnMiddleware } from '@curfew/agent'
import type { Runtime, RuntimeOptions } from '@curfew/core'

export interface TelemetryOptions {
  readonly runtime: Runtime
  /** The call of another process that this one belongs to. */
  readonly outer: RuntimeOptions['outer']
  /** The id of the saved conversation that calls belong to. */
  readonly session?: () => string | null
  /** Shows a line to the person. */
  readonly warn: (message: string) => void
}

/** OpenTelemetry, if it is used in this process. */
export interface Telemetry {
  /** The same model, with a span for each request. */
  traceModel(model: LanguageModelV4): LanguageModelV4
  /** For agents. */
  readonly turnMiddleware: TurnMiddleware | undefined
  /** Call it after the runtime is closed. Exports what has been recorded. */
  flush(): Promise<void>
}

/** A backend that does not respond must not keep a program from ending. */
const flushMs = 2_000

/**
 * Records spans if an OpenTelemetry SDK has registered itself in this process, such as with `NODE_OPTIONS="--import ./telemetry.mjs"`. Nothing
 * is loaded otherwise.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { runtime, outer, session, warn } = options
  const sdk = registeredApi()
  if (sdk === null) return noTelemetry
  if (!isSupported(sdk.version)) {
    warn(
      `no spans are recorded: expected version 1.9 or newer of @opentelemetry/api in this process, got ${JSON.stringify(sdk.version)}`,
    )
    return noTelemetry
  }
  const telemetry = await import('@curfew/journal/telemetry')
  telemetry.traceRuntime(runtime, { content: capturesContent(process.env), session })
  return {
    traceModel: (model) => telemetry.traceModel(model, { redact: runtime.redact }),
    turnMiddleware: telemetry.traceTurns(runtime, { outer }),
    flush: () => telemetry.flushTelemetry(flushMs),
  }
}

const noTelemetry: Telemetry = {
  traceModel: (model) => model,
  turnMiddleware: undefined,
  flush: async () => {},
}

/** Where `@opentelemetry/api` keeps what an SDK registers; `null` if it has registered no spans and no metrics. */
function registeredApi(): { readonly version: unknown } | null {
  const api: unknown = (globalThis as Record<symbol, unknown>)[Symbol.for('opentelemetry.js.api.1')]
  if (typeof api !== 'object' || api === null) return null
  const { version, trace, metrics } = api as Record<string, unknown>
  return trace === undefined && metrics === undefined ? null : { version }
}

/** Ours is 1.9, and it ignores what an older one registers. */
function isSupported(version: unknown): boolean {
  const minor = /^1\.(\d+)\./.exec(String(version))?.[1]
  return Number(minor) >= 9
}

/** The variable that instrumentations of GenAI libraries have in common. */
function capturesContent(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return /^(?:true|1|span_only|span_and_event)$/i.test(
    env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? '',
  )
}
