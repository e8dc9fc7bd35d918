import type { CallResult } from '../call/call-result.ts'
import type { ToolCall } from '../call/tool-call.ts'
import type { TimeoutSource } from '../deadline/resolve-timeout.ts'

/** What a tool is given beside its parameters. */
export interface ToolContext {
  /** The call's id, as the model gave it. */
  readonly callId: string
  /** The call's key in this runtime; pass it as `parent` to `runtime.execute`. */
  readonly uid: number
  /** A copy of the call's `meta`; empty if it has none. */
  readonly meta: Readonly<Record<string, unknown>>
  /** Aborted at the deadline, on cancel and on shutdown. Its `reason` says which. */
  readonly signal: AbortSignal
  readonly deadline: CallDeadline
  /** Emits live output. Kept (head and tail) even if the call times out. */
  output(chunk: string | Uint8Array, stream?: OutputStream): void
  /** Reports progress. Extends the idle limit, never the total. */
  progress(progress: Progress): void
  /** Asks the person. The clocks of this call and of its ancestors stand still meanwhile. */
  ask(question: InputRequest): Promise<string>
  /**
   * The value of a secret that the tool declared in `secrets`. A person is asked for one that is missing; the clocks stand
   * still meanwhile.
   */
  secret(name: string): Promise<string>
  /** Asks the person for a secret, for a tool that lacks it, and stores it. The value does not come back. */
  requestSecret(request: SecretRequest): Promise<void>
  /** Writes a line to the runtime's log. */
  log(message: string): void
  /** Runs other tools inside this call, within what is left of its deadline. */
  execute(calls: readonly ToolCall[]): Promise<CallResult[]>
}

export interface SecretRequest {
  /** The secret's name. */
  readonly key: string
  /** The tool that lacks it; without one it is stored for whoever uses it first. */
  readonly tool?: string | undefined
}

/** Each is put together on its own: a character, or a secret, may be cut in two by what comes between. */
export type OutputStream = 'stdout' | 'stderr'

export interface CallDeadline {
  readonly timeoutMs: number
  readonly source: TimeoutSource
  /** What is left, now. It does not shrink while a person is being asked. */
  readonly remainingMs: number
}

export interface Progress {
  readonly current: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export interface InputRequest {
  readonly message: string
  /** Offer these; without them the answer is free text. */
  readonly choices?: readonly string[] | undefined
}
