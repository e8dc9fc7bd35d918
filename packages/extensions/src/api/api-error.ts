import { CurfewError, type ErrorCode } from '@curfew/core'

/** The server responded with an error, or with a response that cannot be used. */
export class ApiError extends CurfewError {
  override readonly name: string = 'ApiError'
  readonly status: number
  /** The start of the body. */
  readonly body: string

  constructor(code: ErrorCode, message: string, { status, body }: { status: number; body: string }) {
    super(code, message)
    this.status = status
    this.body = body
  }

  /** A rejected request will be rejected again, unless it timed out or was rate limited. */
  override get retryMayHelp(): boolean {
    return this.status < 400 || this.status >= 500 || [408, 425, 429].includes(this.status)
  }
}
