import type { Progress } from '../call/progress.ts'
import type { QuestionHandler } from '../call/question.ts'
import type { Duration } from '../duration/parse-duration.ts'
import { unexpectedOption } from '../errors/field-error.ts'
import { callable, checkKeys, checkSignal } from '../options/check-option.ts'
import type { RuntimeOptions } from '../options/runtime-options.ts'
import type { OutputStream } from '../process/output-stream.ts'
import type { WebAbortSignal } from '../web-types.ts'

export interface ExecuteToolCallOptions
  extends Pick<RuntimeOptions, 'grace' | 'approvalTimeout' | 'vault' | 'clock'> {
  /** For this call only. */
  readonly timeout?: Duration | undefined
  /**
   * The timeout if neither the call nor the tool sets one.
   * @default 180_000
   */
  readonly toolCallTimeout?: Duration | undefined
  readonly signal?: WebAbortSignal | undefined
  /** Called with what the tool emits, without the secrets that it has read; `offset` is the position in the output. */
  readonly onOutput?: ((output: LiveOutput) => void) | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Answers the tool's questions: `context.ask`, and missing secrets if the vault can store them. The clock is paused meanwhile.
   * @default every question is denied
   */
  readonly ask?: QuestionHandler | undefined
}

export interface LiveOutput {
  readonly stream: OutputStream
  readonly text: string
  readonly offset: number
  /** What follows for now: the end of the output that may become part of a secret. The next event replaces it. */
  readonly pending: string
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
export function checkExecuteToolCallOptions(options: ExecuteToolCallOptions): void {
  checkKeys(options, knownOptions, '')
  checkSignal(options.signal)
  for (const field of functions) callable(options[field], field)
  for (const field of ['vault', 'clock'] as const) {
    const value: unknown = options[field]
    if (value === undefined) continue
    const object = Object(value) as Record<string, unknown>
    if (methods[field].every((method) => typeof object[method] === 'function')) continue
    throw unexpectedOption(field, `an object with the functions ${methods[field].join(', ')}`, value)
  }
}
