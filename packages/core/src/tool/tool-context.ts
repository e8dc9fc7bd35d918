import type { CallResult } from '../call/call-result.ts'
import type { Progress } from '../call/progress.ts'
import type { ToolCall } from '../call/tool-call.ts'
import type { TraceContext } from '../call/trace-context.ts'
import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { OutputStream } from '../process/output-stream.ts'
import type { WebAbortSignal } from '../web-types.ts'
import type { Conversation, ConversationOptions } from './conversation.ts'

/** The second argument of a tool's `execute`. */
export interface ToolContext {
  /** The call's id from the model. */
  readonly callId: string
  /** Identifies the call in this runtime; pass it as `parent` to `runtime.execute`. */
  readonly uid: number
  /** A copy of the call's `meta`; empty if it has none. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The reason of the tool's `restrict` with which this call was approved; `null` if none applied. */
  readonly restriction: string | null
  /** How many calls this one is nested in, including those of other processes. */
  readonly depth: number
  /** The limit from `limits.depth`. */
  readonly maxDepth: number
  /** What to pass on to servers and programs, so that their spans belong to this call's trace; `null` if it has none. */
  readonly traceContext: TraceContext | null
  /** Aborted at the deadline, on cancel and on shutdown. Its `reason` is the cause. */
  readonly signal: WebAbortSignal
  readonly deadline: CallDeadline
  /** Emits live output. Kept (head and tail) even if the call times out. */
  output(chunk: string | Uint8Array, stream?: OutputStream): void
  /** Reports progress. Restarts the idle limit, never extends the total. */
  progress(progress: Progress): void
  /** Asks the person a question. The clocks of this call and its ancestors are paused meanwhile. */
  ask(question: InputRequest): Promise<string>
  /**
   * Reads a secret that the tool declares in `secrets`. The person is prompted for a missing one; the clocks are paused
   * meanwhile.
   */
  secret(name: string): Promise<string>
  /** Prompts the person for a secret that a tool needs, and stores it. The value is not returned. */
  requestSecret(request: SecretRequest): Promise<void>
  /** Writes a line to the runtime's log. */
  log(message: string): void
  /** Runs other tools inside this call, within its remaining time. */
  execute(calls: readonly ToolCall[]): Promise<CallResult[]>
  /** Creates a conversation for another model that runs inside this call, such as a subagent. It ends with the call. Not available in a thread. */
  conversation(options?: ConversationOptions): Conversation
  /**
   * Ends the call with this content for the model and continues in the background, with the limit `timeouts.background`.
   * What the tool returns becomes the result of the background task. Resolves with the task's uid.
   */
  detach(content?: string): Promise<number>
}

export interface SecretRequest {
  /** The secret's name. */
  readonly key: string
  /** The tool that needs it; without one, the secret is bound to its first use. */
  readonly tool?: string | undefined
}

export interface CallDeadline {
  readonly timeoutMs: number
  readonly source: TimeoutSource
  /** The remaining time. Does not decrease while a person is being prompted. */
  readonly remainingMs: number
}

export interface InputRequest {
  readonly message: string
  /** Without choices, the answer is free text. */
  readonly choices?: readonly string[] | undefined
}
