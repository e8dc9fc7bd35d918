import type { CallResult } from '../call/call-result.ts'
import type { CallRow } from '../call/call-row.ts'
import type { ApprovalQuestion, QuestionHandler } from '../call/question.ts'
import type { ToolCall } from '../call/tool-call.ts'
import type { RuleLists, Verdict } from '../call/verdict.ts'
import type { Duration } from '../duration/parse-duration.ts'
import type { ErrorCode } from '../errors/curfew-error.ts'
import type { WebAbortSignal } from '../web-types.ts'
import type { InputRequest } from './tool-context.ts'
import type { ToolView, View } from './tool-views.ts'

/** Options of a conversation. `view`, `limits` and `client` are inherited from the conversation that it runs inside, or from the runtime. */
export interface ConversationOptions {
  /**
   * The tools that the model may call, as names or globs. What tools call themselves is not restricted.
   * @default all
   */
  readonly tools?: readonly string[] | undefined
  /** How the tools are presented to the model. */
  readonly view?: View | undefined
  /**
   * In the stub view, offer `search_tools`, with which the model finds tools and their parameters.
   * @default false
   */
  readonly search?: boolean | undefined
  readonly limits?: Readonly<Partial<LimitOptions>> | undefined
  /** Applies in addition to the runtime's approval; the strictest verdict counts. */
  readonly approval?: Verdict | ConversationApprovalOptions | undefined
  /** Answers the questions of this conversation and of those inside it. */
  readonly ask?: QuestionHandler | undefined
  /** Who the conversation is with, such as a user or a connection. Clients share the runtime's slots fairly. */
  readonly client?: string | undefined
  /**
   * Keep the files with long results until the runtime is closed.
   * @default false: they are removed with the conversation
   */
  readonly keepFiles?: boolean | undefined
  /**
   * Called once per batch, before its first call to a tool that is not read-only starts, and awaited outside of the call's deadline: the
   * moment to take a checkpoint. The batch of `context.execute` belongs to the batch around it. If it rejects, the calls that
   * are not read-only fail.
   */
  readonly beforeChanges?: BeforeChanges | undefined
  /**
   * Inside a call, also of another process: how long before its deadline the calls of this conversation end, so that the model has time to answer.
   * @default 0
   */
  readonly reserve?: Duration | undefined
  /**
   * Whether the answer `always` is remembered. If not, it applies to the turn.
   * @default true
   */
  readonly rememberAnswers?: boolean | undefined
}

/** The signal is aborted when no call waits for it any more. */
export type BeforeChanges = (context: {
  /** The batch, as in rows. */
  readonly batch: number
  readonly signal: WebAbortSignal
}) => void | Promise<void>

export interface ConversationApprovalOptions {
  /** The verdict for calls that are not read-only and match no rule. */
  readonly default?: Verdict | undefined
  readonly rules?: Omit<RuleLists, 'askIfAllowed' | 'remembered'> | undefined
}

/** Verdicts on top of the rules. Deny rules, `ask` rules and stricter conversations around or inside this one still apply. */
export interface ConversationMode {
  /** Named in decisions and messages. */
  readonly name: string
  /**
   * Deny every call to a tool that is not read-only, whatever the rules allow.
   * @default false
   */
  readonly readOnly?: boolean | undefined
  /** Rules for calls that run where only the default would ask. */
  readonly allow?: readonly string[] | undefined
  /** What the model reads after a call was denied. */
  readonly advice?: string | undefined
}

export interface LimitOptions {
  /** The maximum number of calls in a turn and in everything beneath it. */
  readonly callsPerTurn: number
  /** The maximum nesting depth of calls. */
  readonly depth: number
  /** The maximum number of continuations of a conversation. */
  readonly continuations: number
}

/** A conversation with a model: its tools, loaded stubs, limits, background tasks and files with long results. */
export interface Conversation {
  readonly id: string
  /** Aborted when the conversation is closed, also by the end of the call that it runs inside. */
  readonly signal: WebAbortSignal
  /** Starts a turn: everything that a model does in response to one prompt, or one call that a person types. */
  turn(options?: TurnOptions): Turn
  /** Runs a batch of calls in a turn of its own. */
  execute(
    calls: readonly ToolCall[],
    options?: { readonly signal?: WebAbortSignal | undefined },
  ): Promise<CallResult[]>
  /** Counts one continuation with tool results. Call it before continuing, and check `windDown`. */
  continue(): ContinuationStatus
  /** How the tools are presented to the model. Changed by `setView`. */
  readonly view: View
  /** Call it before the model has seen the tools: changing their list invalidates the provider's prompt cache. */
  setView(view: View): void
  /** The tools as they are presented to the model. */
  listTools(view?: View): ToolView[]
  /** The names of the stubs that the model has loaded. */
  loadedTools(): string[]
  /**
   * From now on, exactly these stubs count as loaded: those of a resumed conversation, whose tools may be registered later, or those
   * whose parameters are still in the model's context.
   */
  setLoadedTools(names: Iterable<string>): void
  /**
   * Writes text to a file next to the long results of this conversation, without secrets. The file is removed with them. Resolves with
   * its path. Rejects if it cannot be written; `name` is part of the file's name.
   */
  saveText(
    name: string,
    text: string,
    options?: { readonly signal?: WebAbortSignal | undefined },
  ): Promise<string>
  /** What would happen to this call, without running it. */
  decide(call: ToolCall): Decision
  /**
   * Sets the mode of this conversation and of those inside it. It applies to calls that have not been approved, and a `readOnly` mode also to
   * approved ones that have not started, unless a person approved them. Open questions stay open. `null` removes the mode.
   */
  setMode(mode: ConversationMode | null): void
  /**
   * Asks the person a question of the conversation itself. Inside a call, the clocks of the call are paused meanwhile. Rejects with `DENIED` if nobody can answer, with
   * `APPROVAL_EXPIRED` if nobody does, and with `CANCELLED` if the signal is aborted or the conversation is closed.
   */
  ask(question: InputRequest, options?: { readonly signal?: WebAbortSignal | undefined }): Promise<string>
  /**
   * Adds a handler for the questions of this conversation and of those inside it, including the open ones. Returns a
   * function that removes it.
   */
  onQuestion(handler: QuestionHandler): () => void
  /** Cancels all its calls and background tasks, waits until they have ended, and removes its files. */
  close(): Promise<void>
}

export interface TurnOptions {
  /**
   * `person` for a call that a person typed: it needs no approval (deny rules still apply), and neither limits nor loop
   * detection apply to it. Calls beneath it are treated as usual.
   * @default 'model'
   */
  readonly origin?: 'model' | 'person' | undefined
  /**
   * A turn, possibly of another conversation, whose limits count the calls of this one, too: `limits.callsPerTurn`, and
   * `breaker.maxCallsPerWindow` instead of this conversation's own. Not inside a call, whose turn counts them already.
   */
  readonly budget?: Turn | undefined
}

export interface Turn {
  readonly id: string
  readonly conversation: Conversation
  /** Runs a batch of calls. Resolves with one result per call, in order. */
  execute(
    calls: readonly ToolCall[],
    options?: { readonly signal?: WebAbortSignal | undefined },
  ): Promise<CallResult[]>
  /**
   * Runs one call, for frameworks that start calls one by one in the model's order. Calls that overlap keep a batch's guarantees, in
   * the order in which they are started.
   */
  run(call: ToolCall, options?: { readonly signal?: WebAbortSignal | undefined }): Promise<CallResult>
  /** For frameworks that start calls in any order, or not at all. */
  step(): Step
  status(): TurnStatus
  /** Cancels the calls of this turn and of everything beneath it, but not background tasks. Later calls are cancelled, too. */
  cancel(reason?: string): void
}

/** A batch whose calls are started one by one. Call `reserve` in the model's order; the calls keep a batch's guarantees. */
export interface Step {
  reserve(call: ToolCall): Reservation
  /** Releases the calls that were not started. */
  close(): void
}

/** A call's place in a step. Later calls that conflict with it wait until it has ended or is released. */
export interface Reservation {
  readonly uid: number
  /** Runs the call. A second time returns the same promise. */
  run(options?: { readonly signal?: WebAbortSignal | undefined }): Promise<CallResult>
  /** Gives up the place; the call ends with `CANCELLED`. Has no effect on a call that was started. */
  release(): void
  /** Calls the listener with the call's row whenever it changes. Returns an unsubscribe function. */
  subscribe(listener: (row: CallRow) => void): () => void
}

/** How far a turn has come. */
export interface TurnStatus {
  /** The calls of this turn and of the turns beneath it. */
  readonly calls: number
  /** How many more calls its own limit and those of the turns above it allow. */
  readonly callsLeft: number
  /** The turn is over: ask the model for a final answer, without tools. */
  readonly windDown: boolean
  /** The turn was cancelled, or a person stopped it. Its calls end with `CANCELLED`. */
  readonly stopped: boolean
  /** Whether the model was warned of a loop, or a call was rejected with `LOOP_DETECTED`. */
  readonly loop: 'none' | 'nudged' | 'stopped'
  /** Whether a call was rejected because of `breaker.maxCallsPerWindow`. */
  readonly tooFast: boolean
}

/** How many of its continuations a conversation has used. */
export interface ContinuationStatus {
  readonly count: number
  readonly left: number
  /** A message for the model if the limit is near. */
  readonly notice: string | null
  /** No continuations are left: ask the model for a final answer, without tools. */
  readonly windDown: boolean
}

/** What would happen to a call. */
export interface Decision {
  /** `deny` also if the call is invalid; see `error`. */
  readonly verdict: Verdict
  /** The rule that decided, if any. */
  readonly rule: string | null
  /** The mode that decided; missing if none did. */
  readonly mode?: string
  /** The reason of the tool's `restrict`, if it decided; missing otherwise. */
  readonly restriction?: string
  /** With `ask`: the question that a person would be asked. */
  readonly question: ApprovalQuestion | null
  /** Why the call would be rejected before approval: an unknown tool, invalid parameters. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null
}
