import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import type { WebAbortSignal } from '../web-types.ts'

export interface ExecuteOptions {
  /** Cancels the whole batch. */
  readonly signal?: WebAbortSignal | undefined
  /**
   * Batches with the same turn share its limits, loop detection and approvals.
   * @default a separate turn
   */
  readonly turn?: string | undefined
  /** The uid of a running call (`context.uid`) that these calls belong to. */
  readonly parent?: number | undefined
}

const batchOptions = ['signal']
const turnOptions = ['origin', 'budget']
const knownOptions = ['signal', 'turn', 'parent'] satisfies (keyof ExecuteOptions)[]

/** Throws `INVALID_OPTION` with the option as `field`. */
export function checkExecuteOptions(options: unknown): void {
  checkKnown(options, knownOptions)
  const { signal, turn } = options as Record<keyof ExecuteOptions, unknown>
  checkSignal(signal)
  if (turn !== undefined && typeof turn !== 'string') throw unexpected('turn', 'a string', turn)
}

/** For a batch of a turn, and for a call of a step. */
export function checkBatchOptions(options: unknown): void {
  checkKnown(options, batchOptions)
  checkSignal((options as { signal?: unknown }).signal)
}

export function checkTurnOptions(options: unknown): void {
  checkKnown(options, turnOptions)
  const { origin } = options as { origin?: unknown }
  if (origin !== undefined && origin !== 'model' && origin !== 'person')
    throw unexpected('origin', "'model' or 'person'", origin)
}

function checkKnown(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw unexpected('options', 'an object', options)
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw invalid(key, `unknown option; use one of ${known.join(', ')}`)
  }
}

function checkSignal(signal: unknown): void {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw unexpected('signal', 'an AbortSignal', signal)
}

function unexpected(field: string, expected: string, got: unknown): CurfewError {
  return invalid(field, `expected ${expected}, got ${describeValue(got)}`)
}

function invalid(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field}: ${problem}`, { field })
}
