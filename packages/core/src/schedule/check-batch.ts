import { copyMeta, copyParams } from '../call/copy-params.ts'
import type { ToolCall } from '../call/tool-call.ts'
import { CurfewError } from '../errors/curfew-error.ts'

/** A call as it was asked for, read once: whatever the caller does to its own object later changes nothing. */
export interface CallRequest extends ToolCall {
  readonly meta: Readonly<Record<string, unknown>>
  /** Why its parameters or its meta cannot be used; `null` if they can. */
  readonly problem: unknown
}

/** Refuses misuse before anything starts. */
export function checkBatch(calls: unknown, options: unknown): CallRequest[] {
  if (!Array.isArray(calls)) throw invalid('calls', 'must be an array of { id, name, params }')
  if (typeof options !== 'object' || options === null) throw invalid('options', 'must be an object')
  for (const key of Object.keys(options)) {
    if (!['signal', 'turn', 'budget', 'parent'].includes(key))
      throw invalid(key, 'is not an option of execute; there are signal, turn, budget, parent')
  }
  const { signal, turn, budget } = options as { signal?: unknown; turn?: unknown; budget?: unknown }
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalid('signal', 'must be an AbortSignal')
  if (turn !== undefined && typeof turn !== 'string') throw invalid('turn', 'must be a text')
  if (budget !== undefined && (typeof budget !== 'string' || turn !== undefined))
    throw invalid('budget', 'must be a string, and only without a turn')
  const ids = new Set<string>()
  // By index, once: an array may bring a `map` of its own.
  return Array.from({ length: calls.length }, (_, index) => {
    const call: unknown = calls[index]
    const at = `calls[${index}]`
    if (typeof call !== 'object' || call === null) throw invalid(at, 'must be { id, name, params }')
    const request = readCall(call as ToolCall, at)
    if (ids.has(request.id)) {
      throw new CurfewError(
        'DUPLICATE_CALL_ID',
        `${at}.id: "${request.id}" is already the id of another call in this batch`,
        { field: `${at}.id` },
      )
    }
    ids.add(request.id)
    return request
  })
}

function readCall(call: ToolCall, at: string): CallRequest {
  const { id, name, params, timeout, meta } = call
  const wrong =
    params === undefined ? ['args', 'arguments', 'input', 'parameters'].find((key) => key in call) : undefined
  if (wrong !== undefined) throw invalid(`${at}.${wrong}`, 'is not read; write params')
  if (typeof id !== 'string' || id === '')
    throw invalid(`${at}.id`, 'must be a text; the result will carry it')
  const request = { id, name: typeof name === 'string' ? name : '', timeout }
  try {
    return {
      ...request,
      params: params === undefined ? {} : copyParams(params),
      meta: meta === undefined ? noMeta : copyMeta(meta),
      problem: null,
    }
  } catch (error) {
    return { ...request, params: {}, meta: noMeta, problem: error }
  }
}

const noMeta: Readonly<Record<string, unknown>> = Object.freeze({})

function invalid(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field} ${problem}`, { field })
}
