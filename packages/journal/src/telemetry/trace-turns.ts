import type { Runtime, ToolCall } from '@curfew/core'
import { readTraceContext } from '@curfew/core/internal'
import type { Attributes, Context } from '@opentelemetry/api'
import * as names from './attributes.ts'
import { boundedName } from './bounded-text.ts'
import { errorTypeOf } from './error-type-of.ts'
import { providerOfModel } from './provider-of-model.ts'
import { type TracedRuntime, tracedRuntime } from './traced-runtime.ts'
import { type OpenSpan, Tracing } from './tracing.ts'

/** A turn of an agent, as `@curfew/agent` describes it to its middleware. */
export interface TracedTurn {
  readonly agent: string | null
  readonly conversation: string
  readonly turn: string
  readonly model: { readonly provider: string; readonly modelId: string }
  readonly parentUid: number | null
  usage(): { readonly inputTokens: number; readonly outputTokens: number; readonly cacheReadTokens: number }
}

export interface TracedTurnEnd {
  readonly reason: string
  readonly failure?: { readonly kind: string }
}

export interface TraceTurnsOptions {
  /**
   * The trace that turns belong to if nothing else is active, such as that of the process around this one.
   * @default none
   */
  readonly outer?: Pick<NonNullable<ToolCall['outer']>, 'traceparent' | 'tracestate'> | undefined
}

/** Wraps a turn. */
export type TurnTracer = <E extends TracedTurnEnd>(turn: TracedTurn, next: () => Promise<E>) => Promise<E>

/**
 * Records a span for every turn of an agent, with the requests to its models (`traceModel`) and its calls (`traceRuntime`) inside: pass it as
 * `turnMiddleware` to `createAgent`. Throws `INVALID_OPTION` if `@opentelemetry/api` is not installed.
 */
export function traceTurns(runtime: Runtime, { outer }: TraceTurnsOptions = {}): TurnTracer {
  const tracing = new Tracing()
  const traced = tracedRuntime(runtime)
  return async (turn, next) => {
    const open = tracing.safely(() => startTurn(tracing, traced, turn, outer), null)
    if (open === null) return await next()
    const { agent, conversation } = turn
    const context = tracing.withConversation(open.context, traced.conversationId(conversation))
    traced.turns.set(conversation, { agent, turn: turn.turn, context })
    let error: string | null = null
    let reason: string | null = null
    try {
      const ended = await tracing.runIn(context, next)
      reason = ended.reason
      if (reason === 'model-failure') error = ended.failure?.kind ?? reason
      return ended
    } catch (thrown) {
      error = errorTypeOf(thrown)
      throw thrown
    } finally {
      traced.turns.delete(conversation)
      endTurn(tracing, turn, open, { reason, error })
    }
  }
}

function startTurn(
  tracing: Tracing,
  traced: TracedRuntime,
  turn: TracedTurn,
  outer: TraceTurnsOptions['outer'],
): OpenSpan | null {
  const { agent, conversation, model } = turn
  const { invokeAgent } = names.operations
  return tracing.start({
    name: agent === null ? invokeAgent : `${invokeAgent} ${boundedName(agent)}`,
    kind: tracing.api.SpanKind.INTERNAL,
    parent: parentOf(tracing, traced, turn, outer),
    attributes: {
      [names.operationName]: invokeAgent,
      ...agentAttributes(turn),
      [names.providerName]: boundedName(providerOfModel(model.provider)),
      [names.requestModel]: boundedName(model.modelId),
      [names.conversationId]: boundedName(traced.conversationId(conversation)),
    },
  })
}

function parentOf(
  tracing: Tracing,
  traced: TracedRuntime,
  { parentUid }: TracedTurn,
  outer: TraceTurnsOptions['outer'],
): Context {
  const around = parentUid === null ? undefined : traced.calls.get(parentUid)
  if (around !== undefined) return tracing.innermost(around)
  const { active } = tracing
  return tracing.hasSpan(active) ? active : (tracing.extract(readTraceContext(outer)) ?? active)
}

function endTurn(
  tracing: Tracing,
  turn: TracedTurn,
  open: OpenSpan,
  { reason, error }: { readonly reason: string | null; readonly error: string | null },
): void {
  const attributes = tracing.safely<Attributes>(() => {
    const { inputTokens, outputTokens, cacheReadTokens } = turn.usage()
    return {
      ...(reason !== null && { [names.endReason]: boundedName(reason) }),
      [names.inputTokens]: inputTokens,
      [names.outputTokens]: outputTokens,
      [names.cacheReadTokens]: cacheReadTokens,
    }
  }, {})
  tracing.record('invokeAgent', open, {
    ...agentAttributes(turn),
    ...(error !== null && { [names.errorType]: error }),
  })
  tracing.end(open, attributes, error)
}

function agentAttributes({ agent }: TracedTurn): Attributes {
  return agent === null ? {} : { [names.agentName]: boundedName(agent) }
}
