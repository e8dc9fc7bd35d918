import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { CallResult, Conversation, Turn } from '@curfew/core'
import { type Clock, messageOf } from '@curfew/core/internal'
import type { History } from '../history/history.ts'
import type { AssistantPart, HistoryResult } from '../history/history-item.ts'
import { ModelError } from '../models/model-error.ts'
import type { ModelLimits } from '../models/model-limits.ts'
import { nameOfModel } from '../models/name-of-model.ts'
import { streamModel } from '../models/stream-model.ts'
import { toPrompt } from '../models/to-prompt.ts'
import { toTools } from '../models/to-tools.ts'
import type { AgentEvent, EndReason } from './agent-event.ts'
import type { UsageMeter } from './usage-meter.ts'

/** What a turn needs from its agent. */
export interface TurnContext {
  readonly conversation: Conversation
  readonly turn: Turn
  readonly history: History
  readonly system: string | undefined
  /** Counted from the person's last message. */
  readonly maxContinuations: number
  readonly modelLimits: ModelLimits | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  model(): LanguageModelV4
  /** Switches to the fallback model. Returns false if there is none. */
  switchModel(): boolean
  /** Adds queued prompts to the history. Returns whether there were any. */
  deliverQueued(): boolean
  onRequest(): void
  /** Called before calls run. */
  onCalls(calls: readonly CallPart[]): Promise<void>
  readonly meter: UsageMeter
  emit(event: AgentEvent): void
}

export interface TurnEnd {
  readonly reason: EndReason
  readonly message: string | null
}

type CallPart = Extract<AssistantPart, { type: 'call' }>

/**
 * The only loop: asks the model, runs its calls as one batch, appends the results, and asks again. Every call in the history
 * has its result, however the turn ends.
 */
export async function runTurn(context: TurnContext): Promise<TurnEnd> {
  const { history, turn, signal } = context
  let continuations = 0
  for (;;) {
    if (signal.aborted) return ended('abort')
    const windDown = windDownReason(context, continuations)
    if (windDown !== null)
      context.emit({ type: 'notice', notice: { kind: 'wind-down', message: windDown.message! } })
    const response = await respond(context, windDown !== null)
    if (!Array.isArray(response)) return response as TurnEnd
    const calls = (response as readonly AssistantPart[]).filter(
      (part): part is CallPart => part.type === 'call',
    )
    if (calls.length === 0) {
      if (windDown === null && context.deliverQueued()) {
        continuations = 0
        continue
      }
      return windDown ?? ended('answer')
    }
    if (windDown !== null) {
      history.addResults(calls.map((call) => notRun(call, 'LIMIT_EXCEEDED', windDown.message!)))
      return windDown
    }
    const results = await execute(context, calls)
    history.addResults(results.map((result, index) => toHistoryResult(calls[index]!, result)))
    if (signal.aborted) return ended('abort')
    if (turn.status().stopped || results.every(({ status }) => status === 'cancelled'))
      return ended('cancelled')
    continuations = context.deliverQueued() ? 0 : continuations + 1
  }
}

/** Throws only if the runtime or the conversation was closed; the calls have results then too. */
async function execute(
  { history, turn, signal, onCalls }: TurnContext,
  calls: readonly CallPart[],
): Promise<CallResult[]> {
  try {
    await onCalls(calls)
    return await turn.execute(
      calls.map(({ callId, name, input }) => ({ id: callId, name, params: input })),
      { signal },
    )
  } catch (error) {
    history.addResults(calls.map((call) => notRun(call, 'CANCELLED', messageOf(error))))
    throw error
  }
}

/** Why the model must give its final answer now. */
function windDownReason(
  { turn, maxContinuations, meter }: TurnContext,
  continuations: number,
): TurnEnd | null {
  const { loop, callsLeft } = turn.status()
  const spent = meter.exceeded()
  if (spent !== null) return ended('budget', spent)
  if (loop === 'stopped') return ended('loop', 'the model repeated the same calls with the same results')
  if (callsLeft <= 0) return ended('limit', 'all tool calls of this turn are used (limits.callsPerTurn)')
  if (continuations >= maxContinuations)
    return ended('limit', `the model continued ${maxContinuations} times (limits.continuations)`)
  return null
}

/** One response of the model. Its parts are in the history; an end if there is none. */
async function respond(context: TurnContext, isLast: boolean): Promise<readonly AssistantPart[] | TurnEnd> {
  const { conversation, history, system, signal, emit } = context
  const model = context.model()
  const name = nameOfModel(model)
  const { tools, names } = toTools(conversation.listTools(), model)
  const request = {
    prompt: toPrompt(history.items, { model, system, names }),
    tools,
    // The tools stay listed, so that the prompt's prefix remains cached.
    toolChoice: { type: isLast ? ('none' as const) : ('auto' as const) },
  }
  context.onRequest()
  try {
    for await (const event of streamModel(model, request, {
      signal,
      limits: context.modelLimits,
      clock: context.clock,
    })) {
      if (event.type === 'text' || event.type === 'reasoning') emit(event)
      else if (event.type === 'retry') {
        const { cause, attempt, maxAttempts, delayMs } = event
        emit({
          type: 'notice',
          notice: { kind: 'retry', cause: cause.message, attempt, maxAttempts, delayMs },
        })
      } else if (event.type === 'finish') {
        context.meter.add(name, event.usage)
        emit({ type: 'usage', usage: event.usage })
        const parts = event.parts.map((part) =>
          part.type === 'call' ? { ...part, name: names.fromWire(part.name) } : part,
        )
        history.addAssistant(name, parts)
        return parts
      }
    }
    return ended('model-failure', `${name} ended its response without a finish`)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    if (error.usage !== null) context.meter.add(name, error.usage)
    // Calls of a response that was cut off did not run.
    const parts = error.parts.filter(({ type }) => type === 'text')
    if (parts.length > 0) history.addAssistant(name, parts, true)
    if (signal.aborted) return ended('abort')
    if (error.kind === 'quota' && context.switchModel()) {
      const next = context.model()
      return ended('model-switched', `the quota of ${name} is exhausted; the next turn uses ${next.modelId}`)
    }
    return ended('model-failure', error.message)
  }
}

function toHistoryResult(call: CallPart, result: CallResult): HistoryResult {
  const { status, content, spillPath } = result
  return {
    callId: call.callId,
    name: call.name,
    status,
    content,
    ...(result.status !== 'success' && { code: result.code }),
    ...(result.status === 'success' && result.parts !== undefined && { parts: result.parts }),
    ...(spillPath !== undefined && { spillPath }),
  }
}

function notRun({ callId, name }: CallPart, code: string, message: string): HistoryResult {
  return { callId, name, status: 'error', code, content: `${code}: ${name} did not run: ${message}.` }
}

function ended(reason: EndReason, message: string | null = null): TurnEnd {
  return { reason, message }
}
