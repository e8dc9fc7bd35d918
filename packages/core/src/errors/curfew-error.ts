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
  'CONVERSATION_CLOSED',
] as const

/** Why a call, a definition or an option failed or was rejected. */
export type ErrorCode = (typeof errorCodes)[number]

export function isErrorCode(code: unknown): code is ErrorCode {
  return errorCodes.includes(code as ErrorCode)
}

export interface CurfewErrorOptions {
  /** The invalid option, argument or field, as the caller wrote it: `calls[2].timeout`. */
  readonly field?: string | undefined
  /**
   * The message without `field`, for programs that show the field in their own way.
   * @default the message
   */
  readonly problem?: string | undefined
  readonly cause?: unknown
  /** The tool had no effect yet, so a retry is safe. @default false */
  readonly hadNoEffect?: boolean | undefined
  /**
   * The failure breaker that counts the error, if its code counts: the tool's, its server's (which is unreachable), or none
   * (the tool was not tried, or its response is unusable).
   * @default 'tool'
   */
  readonly fault?: ErrorFault | undefined
  /** Data for the calling program. Its JSON, without secrets, becomes the `details` of the result. */
  readonly details?: unknown
}

export type ErrorFault = 'tool' | 'server' | 'none'

/**
 * The base class of all Curfew errors. Check `code`, never the message.
 *
 * A tool may throw it too: its `code` then becomes the code of the call's result.
 */
export class CurfewError extends Error {
  override readonly name: string = 'CurfewError'
  readonly code: ErrorCode
  readonly field: string | undefined
  /** The message without `field`. */
  declare readonly problem: string
  readonly hadNoEffect: boolean
  readonly fault: ErrorFault
  /** Absent unless set, so that it is not printed with every error. */
  declare readonly details?: unknown

  constructor(code: ErrorCode, message: string, options: CurfewErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.field = options.field
    // Not enumerable, so that it is not printed next to the message.
    Object.defineProperty(this, 'problem', { value: options.problem ?? message })
    this.hadNoEffect = options.hadNoEffect ?? false
    this.fault = options.fault ?? 'tool'
    if (options.details !== undefined) this.details = options.details
  }

  /** Whether a retry of the same call may succeed. */
  get retryMayHelp(): boolean {
    return true
  }

  /** Whether the message already contains the tool's output. */
  get includesOutput(): boolean {
    return false
  }
}
