import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { CallResult, Runtime, Turn } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'
import type { ContextManager, ReductionScope } from '../context/context-manager.ts'
import { estimateParts } from '../context/estimate-tokens.ts'
import type { History } from '../history/history.ts'
import type { AssistantPart, HistoryResult } from '../history/history-item.ts'
import { ModelError } from '../models/model-error.ts'
import type { ModelLimits } from '../models/model-limits.ts'
import { nameOfModel } from '../models/name-of-model.ts'
import { streamModel } from '../models/stream-model.ts'
import type { AgentEvent, EndReason } from './agent-event.ts'
import { redactAssistantParts } from './redact-parts.ts'
import { ResponseText } from './response-text.ts'
import { type UsageMeter, withEstimate } from './usage-meter.ts'

/** What a turn needs from its agent. */
export interface TurnContext {
  readonly context: ContextManager
  readonly runtime: Pick<Runtime, 'redact' | 'redactStream'>
  readonly turn: Turn
  readonly history: History
  /** Counted from the person's last message. */
  readonly maxContinuations: number
  readonly modelLimits: ModelLimits | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  model(): LanguageModelV4
  /** Switches to the fallback model. Returns false if there is none. */
  switchModel(): boolean
  /** Counts a continuation of the conversation. Returns why there can be none, or `null`. */
  countContinuation(): Promise<string | null>
  /** Adds queued prompts to the history. Returns whether there were any. */
  deliverQueued(): boolean
  onRequest(): void
  /** Called before calls run. */
  onCalls(calls: readonly CallPart[]): Promise<void>
  /** Called when their results are in the history. */
  onResults(): void
  readonly meter: UsageMeter
  emit(event: AgentEvent): void
}

export interface TurnEnd {
  readonly reason: EndReason
  readonly message: string | null
}

type CallPart = Extract<AssistantPart, { type: 'call' }>

/** A response that was received completely. */
interface ModelAnswer {
  /** As the model made them. */
  readonly calls: readonly CallPart[]
  /** The same calls as they are in the history, without secrets. */
  readonly recordedCalls: readonly CallPart[]
  /** Why the response cannot be used; `null` if it can. */
  readonly problem: string | null
  /** The text was cut off at the output limit of the model. */
  readonly isCutOff: boolean
}

/** How many unusable responses in a row end the turn. */
const maxUnusable = 3

/**
 * The only loop: asks the model, runs its calls as one batch, appends the results, and asks again. Every call in the history
 * has its result, however the turn ends.
 */
export async function runTurn(context: TurnContext): Promise<TurnEnd> {
  const { history, turn, signal } = context
  let continuations = 0
  let unusable = 0
  for (let request = 1; ; request++) {
    const windDown = await windDownReason(context, continuations, request)
    // The person may have been asked.
    if (signal.aborted) return ended('abort')
    // Nothing was begun that needs an answer.
    if (windDown?.reason === 'budget' && request === 1) return windDown
    if (windDown !== null)
      context.emit({ type: 'notice', notice: { kind: 'wind-down', message: windDown.message! } })
    const response = await respond(context, windDown !== null, unusable > 0)
    if ('reason' in response) return response
    const { calls, recordedCalls, problem, isCutOff } = response
    if (windDown !== null) {
      if (calls.length > 0)
        history.addResults(recordedCalls.map((call) => notRun(call, 'LIMIT_EXCEEDED', windDown.message!)))
      return windDown
    }
    if (problem !== null) {
      if (calls.length > 0)
        history.addResults(recordedCalls.map((call) => notRun(call, 'INVALID_PARAMS', cutOffCall)))
      if (++unusable === maxUnusable)
        return ended('model-failure', `${problem} (${maxUnusable} times in a row)`)
      context.emit({
        type: 'notice',
        notice: {
          kind: 'retry',
          cause: problem,
          attempt: unusable,
          maxAttempts: maxUnusable,
          delayMs: 0,
        },
      })
      continuations = context.deliverQueued() ? 0 : continuations + 1
      continue
    }
    unusable = 0
    if (calls.length === 0) {
      if (context.deliverQueued()) {
        continuations = 0
        continue
      }
      return isCutOff ? ended('limit', cutOffText) : ended('answer')
    }
    await context.onCalls(recordedCalls)
    const results = await turn.execute(
      calls.map(({ callId, name, input }) => ({ id: callId, name, params: input })),
      { signal },
    )
    history.addResults(results.map((result, index) => toHistoryResult(recordedCalls[index]!, result)))
    context.onResults()
    if (signal.aborted) return ended('abort')
    if (turn.status().stopped || results.every(({ status }) => status === 'cancelled'))
      return ended('cancelled')
    continuations = context.deliverQueued() ? 0 : continuations + 1
  }
}

const cutOffCall =
  'the response was cut off at the output limit of the model, so its calls may be incomplete; call again with less in one response'
const cutOffText = 'the answer was cut off at the output limit of the model'

/** Why the model must give its final answer now. */
async function windDownReason(
  context: TurnContext,
  continuations: number,
  request: number,
): Promise<TurnEnd | null> {
  const { turn, maxContinuations, meter } = context
  const { loop, callsLeft, tooFast } = turn.status()
  const spent = meter.exceeded()
  if (spent !== null) return ended('budget', spent)
  if (loop === 'stopped') return ended('loop', 'the model repeated the same calls with the same results')
  if (callsLeft <= 0) return ended('limit', 'all tool calls of this turn are used (limits.callsPerTurn)')
  if (tooFast)
    return ended('limit', 'there were too many tool calls in a short time (breaker.maxCallsPerWindow)')
  if (continuations >= maxContinuations)
    return ended('limit', `the model continued ${maxContinuations} times (limits.continuations)`)
  // Also if a prompt was delivered meanwhile, which may come from a program.
  const refusal = request === 1 ? null : await context.countContinuation()
  return refusal === null ? null : ended('limit', refusal)
}

/** One response of the model. It is in the history; an end if there is none. */
async function respond(
  context: TurnContext,
  isLast: boolean,
  isRepeated: boolean,
  isReduced = false,
): Promise<ModelAnswer | TurnEnd> {
  const { runtime, history, signal, emit } = context
  const model = context.model()
  const name = nameOfModel(model)
  const scope = reductionScope(context, model)
  if (!isReduced) await context.context.makeRoom(scope)
  if (signal.aborted) return ended('abort')
  // The tools stay listed, so that the prompt's prefix remains cached.
  const { request, names } = context.context.build(model, isLast ? 'none' : 'auto')
  if (isRepeated) addNote(request.prompt, repeatNote)
  const input = context.context.usage().tokens
  const text = new ResponseText(runtime, emit)
  context.onRequest()
  try {
    for await (const event of streamModel(model, request, {
      signal,
      limits: context.modelLimits,
      clock: context.clock,
    })) {
      if (event.type === 'text' || event.type === 'reasoning') text.push(event)
      else if (event.type === 'retry') scope.onRetry(event)
      else if (event.type === 'finish') {
        text.end()
        scope.onUsage(event.usage, { input, output: estimateParts(event.parts) })
        const parts = event.parts.map((part) =>
          part.type === 'call' ? { ...part, name: names.fromWire(part.name) } : part,
        )
        const answer = record(context, name, parts, event.finishReason === 'length')
        context.context.received(event.usage)
        return answer
      }
    }
    return ended('model-failure', `${name} ended its response without a finish`)
  } catch (error) {
    text.end()
    if (!(error instanceof ModelError)) throw error
    // A request that failed before the model responded is not paid for.
    if (error.usage !== null || error.parts.length > 0)
      scope.onUsage(error.usage, { input, output: estimateParts(error.parts) })
    // Calls of a response that was cut off did not run.
    const parts = error.parts.filter(({ type }) => type === 'text')
    if (parts.length > 0) history.addAssistant(name, redactAssistantParts(runtime, parts), true)
    if (signal.aborted) return ended('abort')
    if (error.kind === 'malformed')
      return { calls: [], recordedCalls: [], problem: error.message, isCutOff: false }
    if (error.kind === 'quota' && context.switchModel()) {
      const next = context.model()
      return ended('model-switched', `the quota of ${name} is exhausted; the next turn uses ${next.modelId}`)
    }
    if (error.kind !== 'context-overflow') return ended('model-failure', error.message)
    if (!isReduced && (await context.context.onOverflow(scope)))
      return await respond(context, isLast, isRepeated, true)
    return ended('model-failure', `${error.message}; ${context.context.describeWindow()}`)
  }
}

/** What a request for a summary has in common with the other requests of the turn. */
export function reductionScope(
  {
    signal,
    clock,
    meter,
    modelLimits: limits,
    emit,
  }: Pick<TurnContext, 'signal' | 'clock' | 'meter' | 'modelLimits' | 'emit'>,
  model: LanguageModelV4,
): ReductionScope {
  return {
    model,
    signal,
    limits,
    clock,
    canSpend: () => meter.exceeded() === null,
    onUsage: (usage, estimate) => {
      meter.add(nameOfModel(model), withEstimate(usage, estimate))
      if (usage !== null) emit({ type: 'usage', usage })
    },
    onRetry: ({ cause, attempt, maxAttempts, delayMs }) =>
      emit({
        type: 'notice',
        notice: { kind: 'retry', cause: cause.message, attempt, maxAttempts, delayMs },
      }),
    onNotice: (notice) => emit({ type: 'notice', notice }),
  }
}

/** Adds a complete response to the history. */
function record(
  { runtime, history }: TurnContext,
  name: string,
  parts: readonly AssistantPart[],
  isCutOff: boolean,
): ModelAnswer {
  const recorded = redactAssistantParts(runtime, parts)
  if (parts.length > 0) history.addAssistant(name, recorded, isCutOff)
  const calls = parts.filter(isCall)
  const hasText = parts.some((part) => part.type === 'text' && part.text.trim() !== '')
  let problem: string | null = null
  if (isCutOff && (calls.length > 0 || !hasText))
    problem = `${name}: the response was cut off at the output limit of the model`
  else if (calls.length === 0 && !hasText) problem = `${name}: the model answered nothing`
  return { calls, recordedCalls: recorded.filter(isCall), problem, isCutOff }
}

function isCall(part: AssistantPart): part is CallPart {
  return part.type === 'call'
}

/** Not part of the history. Models tend to repeat an empty response to the same prompt. */
const repeatNote =
  'Your last response was empty, or it could not be read. Answer, or call a tool with complete arguments.'

function addNote(prompt: LanguageModelV4Prompt, text: string): void {
  const last = prompt.at(-1)
  // Some chat templates require alternating roles.
  if (last?.role === 'user') last.content.push({ type: 'text', text })
  else prompt.push({ role: 'user', content: [{ type: 'text', text }] })
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
    ...(result.status === 'success' && result.loaded === true && { loaded: true as const }),
  }
}

function notRun({ callId, name }: CallPart, code: string, message: string): HistoryResult {
  return { callId, name, status: 'error', code, content: `${code}: ${name} did not run: ${message}.` }
}

function ended(reason: EndReason, message: string | null = null): TurnEnd {
  return { reason, message }
}
