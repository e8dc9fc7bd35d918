import { CurfewError } from '../errors/curfew-error.ts'
import type { WebAbortSignal } from '../web-types.ts'

export interface ExecuteOptions {
  /** Cancels the whole batch. */
  readonly signal?: WebAbortSignal | undefined
  /**
   * Batches with the same turn share its limits, its loop detection and what a person allowed for it.
   * @default the batch is a turn of its own
   */
  readonly turn?: string | undefined
  /**
   * For a batch without a turn: the turn whose call limit it counts towards. That turn's approvals, loop detection and stop
   * do not apply to the batch.
   */
  readonly budget?: string | undefined
  /** The uid of a running call (`context.uid`) that these calls belong to. */
  readonly parent?: number | undefined
}

const knownOptions = ['signal', 'turn', 'budget', 'parent'] satisfies (keyof ExecuteOptions)[]

/** Throws `INVALID_OPTION` with the option as `field`. */
export function checkExecuteOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'expected an object')
  for (const key of Object.keys(options)) {
    if (!(knownOptions as string[]).includes(key))
      throw invalid(key, `unknown option of execute; use one of ${knownOptions.join(', ')}`)
  }
  const { signal, turn, budget } = options as Record<keyof ExecuteOptions, unknown>
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalid('signal', 'expected an AbortSignal')
  if (turn !== undefined && typeof turn !== 'string') throw invalid('turn', 'expected a string')
  if (budget !== undefined && typeof budget !== 'string') throw invalid('budget', 'expected a string')
  if (budget !== undefined && turn !== undefined)
    throw invalid('budget', 'a batch with a turn already counts towards it; pass only one of the two')
}

function invalid(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field}: ${problem}`, { field })
}
