import { CurfewError, type ErrorCode } from '@curfew/core'

/** The server answered, but not with what was asked for. */
export class ApiError extends CurfewError {
  override readonly name: string = 'ApiError'
  readonly status: number
  /** Its beginning. */
  readonly body: string

  constructor(code: ErrorCode, message: string, { status, body }: { status: number; body: string }) {
    super(code, message)
    this.status = status
    this.body = body
  }

  /** What a server refuses it will refuse again, unless it was too much or too early. */
  override get retryMayHelp(): boolean {
    return this.status < 400 || this.status >= 500 || [408, 425, 429].includes(this.status)
  }
}
