import { invalidOption, unexpectedOption } from '../errors/field-error.ts'
import { copyMeta, copyParams } from './copy-params.ts'
import { type CheckedOuterCall, checkOuterCall } from './outer-call.ts'
import type { ToolCall } from './tool-call.ts'

/** A copy of a call, unaffected by later changes to the caller's object. */
export interface CallRequest extends ToolCall {
  readonly meta: Readonly<Record<string, unknown>>
  readonly outer: CheckedOuterCall | undefined
  /** The error if `params` or `meta` is invalid; otherwise `null`. */
  readonly problem: unknown
}

/** Copies the calls of a batch. Throws if the program passed no calls; a model's mistakes become the `problem` of a call. */
export function readCalls(calls: unknown): CallRequest[] {
  if (!Array.isArray(calls)) throw unexpectedOption('calls', 'an array of { id, name, params }', calls)
  // Not `map`, which the array may override.
  return Array.from({ length: calls.length }, (_, index) => readCall(calls[index], `calls[${index}]`))
}

/** `at` names the call in errors. */
export function readCall(call: unknown, at: string): CallRequest {
  if (typeof call !== 'object' || call === null) throw unexpectedOption(at, '{ id, name, params }', call)
  const { id, name, params, timeout, meta, outer, signal } = call as ToolCall
  const misnamed =
    params === undefined ? ['args', 'arguments', 'input', 'parameters'].find((key) => key in call) : undefined
  if (misnamed !== undefined) {
    const field = `${at}.${misnamed}`
    throw invalidOption(field, 'unknown field; use params instead')
  }
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw unexpectedOption(`${at}.signal`, 'an AbortSignal', signal)
  let ownParams: unknown = {}
  let ownMeta = noMeta
  let problem: unknown = null
  try {
    if (params !== undefined) ownParams = copyParams(params)
    if (meta !== undefined) ownMeta = copyMeta(meta)
  } catch (error) {
    problem = error
  }
  return {
    id: typeof id === 'string' ? id : typeof id === 'number' ? String(id) : '',
    name: typeof name === 'string' ? name : '',
    timeout,
    signal,
    outer: outer === undefined ? undefined : checkOuterCall(outer, `${at}.outer`),
    params: ownParams,
    meta: ownMeta,
    problem,
  }
}

/** The `meta` of a call that has none. */
export const noMeta: Readonly<Record<string, unknown>> = Object.freeze({})
