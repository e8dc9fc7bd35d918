import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import { copyMeta, copyParams } from './copy-params.ts'
import type { ToolCall } from './tool-call.ts'

/** A copy of a call, unaffected by later changes to the caller's object. */
export interface CallRequest extends ToolCall {
  readonly meta: Readonly<Record<string, unknown>>
  /** The error if `params` or `meta` is invalid; otherwise `null`. */
  readonly problem: unknown
}

/** Copies the calls of a batch. Throws if they are malformed, before anything has started. */
export function readCalls(calls: unknown): CallRequest[] {
  if (!Array.isArray(calls)) throw invalid('calls', 'an array of { id, name, params }', calls)
  const ids = new Set<string>()
  // Not `map`, which the array may override.
  return Array.from({ length: calls.length }, (_, index) => {
    const call: unknown = calls[index]
    const at = `calls[${index}]`
    if (typeof call !== 'object' || call === null) throw invalid(at, '{ id, name, params }', call)
    const request = readCall(call as ToolCall, at)
    if (ids.has(request.id)) {
      throw new CurfewError(
        'DUPLICATE_CALL_ID',
        `${at}.id: "${request.id}" is already the id of another call in this batch; ids must be unique`,
        { field: `${at}.id` },
      )
    }
    ids.add(request.id)
    return request
  })
}

function readCall(call: ToolCall, at: string): CallRequest {
  const { id, name, params, timeout, meta } = call
  const misnamed =
    params === undefined ? ['args', 'arguments', 'input', 'parameters'].find((key) => key in call) : undefined
  if (misnamed !== undefined) {
    const field = `${at}.${misnamed}`
    throw new CurfewError('INVALID_OPTION', `${field}: unknown field; use params instead`, { field })
  }
  if (typeof id !== 'string' || id === '') throw invalid(`${at}.id`, 'a non-empty string', id)
  const toolName = typeof name === 'string' ? name : ''
  try {
    return {
      id,
      name: toolName,
      timeout,
      params: params === undefined ? {} : copyParams(params),
      meta: meta === undefined ? noMeta : copyMeta(meta),
      problem: null,
    }
  } catch (problem) {
    return { id, name: toolName, timeout, params: {}, meta: noMeta, problem }
  }
}

/** The `meta` of a call that has none. */
export const noMeta: Readonly<Record<string, unknown>> = Object.freeze({})

function invalid(field: string, expected: string, got: unknown): CurfewError {
  const message = `${field}: expected ${expected}, got ${describeValue(got)}`
  return new CurfewError('INVALID_OPTION', message, { field })
}
