const errorCodes = [
  'TOOL_TIMEOUT',
  'TOOL_IDLE_TIMEOUT',
  'TOOL_FAILED',
  'TOOL_NOT_FOUND',
  'TRANSPORT_FAILED',
  'INVALID_PARAMS',
  'INVALID_RESULT',
  'INVALID_TOOL',
  'INVALID_OPTION',
  'INVALID_DURATION',
  'DUPLICATE_TOOL',
  'DUPLICATE_CALL_ID',
  'DENIED',
  'APPROVAL_EXPIRED',
  'CANCELLED',
  'LIMIT_EXCEEDED',
  'CIRCUIT_OPEN',
  'LOOP_DETECTED',
  'QUEUE_TIMEOUT',
  'CREDENTIAL_REQUIRED',
  'SECRETS_UNAVAILABLE',
  'WORKER_LOST',
  'RUNTIME_CLOSED',
] as const

/** Every way in which a call, a definition or an option can be refused or fail. */
export type ErrorCode = (typeof errorCodes)[number]

export function isErrorCode(code: unknown): code is ErrorCode {
  return errorCodes.includes(code as ErrorCode)
}

export interface CurfewErrorOptions {
  /** The option, argument or field that is wrong, as the caller wrote it: `calls[2].timeout`. */
  readonly field?: string | undefined
  readonly cause?: unknown
  /** Nothing was done before it, so the same call may be made again. @default false */
  readonly hadNoEffect?: boolean | undefined
  /**
   * Whose failure breaker counts it, if the code counts at all: the tool's, that of the server behind the tool (it cannot
   * be reached), or none (the tool was not tried, or its answer cannot be used).
   * @default 'tool'
   */
  readonly fault?: ErrorFault | undefined
  /** JSON data for whoever gets the result: an adapter's own account of the failure. */
  readonly detail?: unknown
}

export type ErrorFault = 'tool' | 'server' | 'none'

/**
 * The one base of Curfew's errors. Look at `code`, never at the message.
 *
 * A tool may throw it too: its `code` then becomes the code of the call's result.
 */
export class CurfewError extends Error {
  override readonly name: string = 'CurfewError'
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly hadNoEffect: boolean
  readonly fault: ErrorFault
  readonly detail: unknown

  constructor(code: ErrorCode, message: string, options: CurfewErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.field = options.field
    this.hadNoEffect = options.hadNoEffect ?? false
    this.fault = options.fault ?? 'tool'
    this.detail = options.detail
  }

  /** Could the same call come to something else? */
  get worthRepeating(): boolean {
    return true
  }

  /** Does the message contain what the tool printed? Then it need not be shown again beside it. */
  get tellsOutput(): boolean {
    return false
  }
}
