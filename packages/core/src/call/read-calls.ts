import { CurfewError } from '../errors/curfew-error.ts'
import { copyMeta, copyParams } from './copy-params.ts'
import type { ToolCall } from './tool-call.ts'

/** A copy of a call: changes that the caller makes to its own object later have no effect. */
export interface CallRequest extends ToolCall {
  readonly meta: Readonly<Record<string, unknown>>
  /** Why its parameters or its meta cannot be used; `null` if they can. */
  readonly problem: unknown
}

/** Copies the calls of a batch. Throws if they are not calls, before anything has started. */
export function readCalls(calls: unknown): CallRequest[] {
  if (!Array.isArray(calls)) throw invalid('calls', 'an array of { id, name, params }')
  const ids = new Set<string>()
  // Not `map`: the array may have a `map` of its own.
  return Array.from({ length: calls.length }, (_, index) => {
    const call: unknown = calls[index]
    const at = `calls[${index}]`
    if (typeof call !== 'object' || call === null) throw invalid(at, '{ id, name, params }')
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
  const misnamed =
    params === undefined ? ['args', 'arguments', 'input', 'parameters'].find((key) => key in call) : undefined
  if (misnamed !== undefined) {
    const field = `${at}.${misnamed}`
    throw new CurfewError('INVALID_OPTION', `${field}: unknown field; use params instead`, { field })
  }
  if (typeof id !== 'string' || id === '') throw invalid(`${at}.id`, 'a non-empty string')
  const ownName = typeof name === 'string' ? name : ''
  try {
    return {
      id,
      name: ownName,
      timeout,
      params: params === undefined ? {} : copyParams(params),
      meta: meta === undefined ? noMeta : copyMeta(meta),
      problem: null,
    }
  } catch (problem) {
    return { id, name: ownName, timeout, params: {}, meta: noMeta, problem }
  }
}

const noMeta: Readonly<Record<string, unknown>> = Object.freeze({})

function invalid(field: string, expected: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field}: expected ${expected}`, { field })
}
