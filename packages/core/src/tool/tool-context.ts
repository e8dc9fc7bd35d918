import type { CallResult } from '../call/call-result.ts'
import type { ToolCall } from '../call/tool-call.ts'
import type { TimeoutSource } from '../deadline/resolve-timeout.ts'

/** What a tool is given beside its parameters. */
export interface ToolContext {
  /** The call's id, as the model gave it. */
  readonly callId: string
  /** The call's key in this runtime; pass it as `parent` to `runtime.execute`. */
  readonly uid: number
  /** Aborted at the deadline, on cancel and on shutdown. Its `reason` says which. */
  readonly signal: AbortSignal
  readonly deadline: CallDeadline
  /** Emits live output. Kept (head and tail) even if the call times out. */
  output(chunk: string | Uint8Array): void
  /** Reports progress. Extends the idle limit, never the total. */
  progress(progress: Progress): void
  /** Asks the person. The clocks of this call and of its ancestors stand still meanwhile. */
  ask(question: InputRequest): Promise<string>
  /** The value of a secret that the tool declared in `secrets`. */
  secret(name: string): Promise<string>
  /** Writes a line to the runtime's log. */
  log(message: string): void
  /** Runs other tools inside this call, within what is left of its deadline. */
  execute(calls: readonly ToolCall[]): Promise<CallResult[]>
}

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
