import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ReductionScope } from '../context/context-manager.ts'
import { estimateParts, minTokens } from '../context/estimate-tokens.ts'
import type { AssistantPart } from '../history/history-item.ts'
import { ModelError } from '../models/model-error.ts'
import { nameOfModel } from '../models/name-of-model.ts'
import { streamModel } from '../models/stream-model.ts'
import { redactAssistantParts } from './redact-messages.ts'
import { ResponseText } from './response-text.ts'
import { type CallPart, ended, type TurnContext, type TurnEnd } from './turn-context.ts'
import { withEstimate } from './usage-meter.ts'

/** A response that was received completely. */
export interface ModelAnswer {
  /** As the model made them. */
  readonly calls: readonly CallPart[]
  /** The same calls as they are in the history, without secrets. */
  readonly recordedCalls: readonly CallPart[]
  /** Why the response cannot be used; `null` if it can. */
  readonly problem: string | null
  /** The text was cut off at the output limit of the model. */
  readonly isCutOff: boolean
}

/** One response of the model. It is in the history; an end if there is none. */
export async function respond(
  context: TurnContext,
  isLast: boolean,
  isRepeated: boolean,
  isReduced = false,
): Promise<ModelAnswer | TurnEnd> {
  const { runtime, history, signal, emit } = context
  const model = context.model()
  const name = nameOfModel(model)
  const scope = reductionScope(context, model)
  // Whatever a model has read can be continued after a crash.
  await context.saved()
  if (!isReduced) await context.contextManager.makeRoom(scope)
  if (signal.aborted) return ended('abort')
  // The tools stay listed, so that the prompt's prefix remains cached.
  const { request, names } = context.contextManager.build(model, isLast ? 'none' : 'auto')
  if (isRepeated) addNote(request.prompt, repeatNote)
  const sent = {
    input: context.contextManager.usage().tokens,
    minInput: minTokens([request.prompt, request.tools]),
  }
  const text = new ResponseText(runtime, emit)
  context.onRequest()
  try {
    for await (const event of streamModel(model, request, {
      signal,
      limits: context.modelLimits,
      clock: context.clock,
      redact: scope.redact,
    })) {
      if (event.type === 'text' || event.type === 'reasoning') text.push(event)
      else if (event.type === 'retry') scope.onRetry(event)
      else if (event.type === 'finish') {
        text.end()
        scope.onUsage(event.usage, { ...sent, output: estimateParts(event.parts) })
        const parts = event.parts.map((part) =>
          part.type === 'call' ? { ...part, name: names.fromWire(part.name) } : part,
        )
        const answer = record(context, name, parts, event.finishReason === 'length')
        context.contextManager.received(event.usage)
        return answer
      }
    }
    return ended('model-failure', `${name} ended its response without a finish`)
  } catch (error) {
    text.end()
    if (!(error instanceof ModelError)) throw error
    // A request that failed before the model responded is not paid for.
    if (error.usage !== null || error.parts.length > 0)
      scope.onUsage(error.usage, { ...sent, output: estimateParts(error.parts) })
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
    if (error.kind !== 'context-overflow') return failed(error, settingOf(error))
    if (!isReduced && (await context.contextManager.onOverflow(scope)))
      return await respond(context, isLast, isRepeated, true)
    return failed(error, `; ${context.contextManager.describeWindow()}`)
  }
}

function failed(error: ModelError, advice: string): TurnEnd {
  const { kind, message, problem, status, retryAfterMs, retryable } = error
  return {
    reason: 'model-failure',
    message: message + advice,
    failure: { kind, message, problem, status, retryAfterMs, retryable },
  }
}

/** The limit that ended the request. */
function settingOf({ kind }: ModelError): string {
  if (kind === 'first-token') return ' (limits.model.firstToken)'
  return kind === 'idle' || kind === 'total' ? ` (limits.model.${kind})` : ''
}

/** What a request for a summary has in common with the other requests of the turn. */
export function reductionScope(
  {
    runtime,
    signal,
    clock,
    meter,
    modelLimits: limits,
    emit,
  }: Pick<TurnContext, 'runtime' | 'signal' | 'clock' | 'meter' | 'modelLimits' | 'emit'>,
  model: LanguageModelV4,
): ReductionScope {
  return {
    model,
    signal,
    limits,
    clock,
    redact: (text) => runtime.redact(text),
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
  else if (calls.length === 0 && !hasText) problem = `${name}: the model returned an empty response`
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
