import type { CallResult } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import type { HistoryResult } from '../history/history-item.ts'
import { respond } from './respond.ts'
import { type CallPart, ended, type TurnContext, type TurnEnd } from './turn-context.ts'

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
    const results = await execute(context, calls, recordedCalls)
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

/** Throws only if the runtime or the conversation was closed; the calls have results then too. */
async function execute(
  { history, turn, signal }: TurnContext,
  calls: readonly CallPart[],
  recordedCalls: readonly CallPart[],
): Promise<CallResult[]> {
  try {
    return await turn.execute(
      // Their ids are in events, so they must not contain secrets.
      calls.map(({ name, input }, index) => ({ id: recordedCalls[index]!.callId, name, params: input })),
      { signal },
    )
  } catch (error) {
    history.addResults(recordedCalls.map((call) => notRun(call, 'CANCELLED', messageOf(error), 'cancelled')))
    throw error
  }
}

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
  if (context.isTimeShort()) return ended('limit', 'the time of the agent is nearly over')
  if (loop === 'stopped') return ended('loop', 'the model repeated the same calls with the same results')
  if (callsLeft <= 0) return ended('limit', 'all tool calls of this turn are used (limits.callsPerTurn)')
  if (tooFast)
    return ended('limit', 'there were too many tool calls in a short time (breaker.maxCallsPerWindow)')
  if (continuations >= maxContinuations)
    return ended(
      'limit',
      `the model continued ${maxContinuations === 1 ? 'once' : `${maxContinuations} times`} (limits.continuations)`,
    )
  // Also if a prompt was delivered meanwhile, which may come from a program.
  const refusal = request === 1 ? null : await context.countContinuation()
  return refusal === null ? null : ended('limit', refusal)
}

function toHistoryResult(call: CallPart, result: CallResult): HistoryResult {
  const { callId, name } = call
  const { status, content, spillPath } = result
  // Most results. An object with spread fields takes half as much memory again.
  if (result.status === 'success' && !result.parts && !result.loaded && spillPath === undefined)
    return { callId, name, status, content }
  return {
    callId,
    name,
    status,
    content,
    ...(result.status !== 'success' && { code: result.code }),
    ...(result.status === 'success' && result.parts !== undefined && { parts: result.parts }),
    ...(spillPath !== undefined && { spillPath }),
    ...(result.status === 'success' && result.loaded === true && { loaded: true as const }),
  }
}

function notRun(
  { callId, name }: CallPart,
  code: string,
  message: string,
  status: HistoryResult['status'] = 'error',
): HistoryResult {
  return { callId, name, status, code, content: `${code}: ${name} did not run: ${message}.` }
}
