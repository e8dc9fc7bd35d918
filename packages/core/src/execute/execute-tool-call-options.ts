import type { Progress } from '../call/progress.ts'
import type { QuestionHandler } from '../call/question.ts'
import type { Clock } from '../clock/clock.ts'
import type { Duration } from '../duration/parse-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import type { Vault } from '../secrets/vault.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { OutputStream } from '../tool/tool-context.ts'
import type { WebAbortSignal } from '../web-types.ts'

export interface ExecuteToolCallOptions {
  /** For this call only. */
  readonly timeout?: Duration | undefined
  /**
   * The timeout if neither the call nor the tool sets one.
   * @default 180_000
   */
  readonly toolCallTimeout?: Duration | undefined
  readonly signal?: WebAbortSignal | undefined
  /**
   * How long the tool may take to clean up after its signal was aborted.
   * @default 250
   */
  readonly grace?: Duration | undefined
  /** Called with what the tool emits, without the secrets that it has read; `offset` is the position in the output. */
  readonly onOutput?: ((output: LiveOutput) => void) | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Answers the tool's questions: `context.ask`, and missing secrets if the vault can store them. The clock is paused meanwhile.
   * @default every question is denied
   */
  readonly ask?: QuestionHandler | undefined
  /**
   * How long a question stays open.
   * @default 600_000
   */
  readonly approvalTimeout?: Duration | undefined
  /** @default the environment */
  readonly vault?: Vault | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface LiveOutput {
  readonly stream: OutputStream
  readonly text: string
  readonly offset: number
}

type Field = keyof ExecuteToolCallOptions

const functions = ['onOutput', 'onProgress', 'ask'] as const
const methods = { vault: ['read', 'store', 'allow'], clock: ['now', 'setTimer', 'clearTimer'] } as const
/** Durations are validated when they are parsed. */
const knownOptions: readonly Field[] = [
  ...(['timeout', 'toolCallTimeout', 'signal', 'grace', 'approvalTimeout'] as const),
  ...functions,
  ...(['vault', 'clock'] as const),
]

/** Throws `INVALID_OPTION` with the option as `field`. */
export function checkExecuteToolCallOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw unexpected('options', 'an object', options)
  }
  for (const field of Object.keys(options)) {
    if ((knownOptions as readonly string[]).includes(field)) continue
    const hint = didYouMean(field, knownOptions) || `use one of ${knownOptions.join(', ')}`
    throw new CurfewError('INVALID_OPTION', `${field}: unknown option; ${hint}`, { field })
  }
  const values = options as Partial<Record<Field, unknown>>
  if (values.signal !== undefined && !(values.signal instanceof AbortSignal)) {
    throw unexpected('signal', 'an AbortSignal', values.signal)
  }
  for (const field of functions) {
    if (values[field] !== undefined && typeof values[field] !== 'function')
      throw unexpected(field, 'a function', values[field])
  }
  for (const field of ['vault', 'clock'] as const) {
    const value = values[field]
    if (value === undefined) continue
    const object = Object(value) as Record<string, unknown>
    if (methods[field].every((method) => typeof object[method] === 'function')) continue
    throw unexpected(field, `an object with the functions ${methods[field].join(', ')}`, value)
  }
}

function unexpected(field: string, expected: string, got: unknown): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field}: expected ${expected}, got ${describeValue(got)}`, {
    field,
  })
}
