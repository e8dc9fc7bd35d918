import { unexpectedOption } from '../errors/field-error.ts'
import { checkKeys, checkSignal, oneOf, string } from '../options/check-option.ts'
import type { TurnOptions } from '../tool/conversation.ts'
import type { WebAbortSignal } from '../web-types.ts'

export interface ExecuteOptions {
  /** Cancels the whole batch. */
  readonly signal?: WebAbortSignal | undefined
  /**
   * Batches with the same turn share its limits, loop detection and approvals. Not with `parent`, whose turn the calls belong to.
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
export function checkExecuteOptions(options: ExecuteOptions): void {
  checkKeys(options, knownOptions, '')
  checkSignal(options.signal)
  string(options.turn, 'turn')
  // In a turn of its own, a call would escape the rules, the limits and the end of its parent's turn.
  if (options.turn !== undefined && options.parent !== undefined)
    throw unexpectedOption('turn', 'none with parent, whose turn the calls belong to', options.turn)
}

/** For a batch of a turn, and for a call of a step. */
export function checkBatchOptions(options: Pick<ExecuteOptions, 'signal'>): void {
  checkKeys(options, batchOptions, '')
  checkSignal(options.signal)
}

export function checkTurnOptions(options: TurnOptions): void {
  checkKeys(options, turnOptions, '')
  oneOf(options.origin ?? 'model', ['model', 'person'], 'origin')
}
