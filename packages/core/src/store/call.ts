import type { AllowedBy } from '../call/allowed-by.ts'
import type { CallResult } from '../call/call-result.ts'
import type { CallState } from '../call/call-state.ts'
import { isTerminal } from '../call/call-state.ts'
import type { Progress } from '../call/progress.ts'
import type { CallRequest } from '../call/read-calls.ts'
import type { TraceContext } from '../call/trace-context.ts'
import type { ConversationState } from '../conversation/conversation-state.ts'
import type { Execution } from '../execute/execution.ts'
import type { ConflictClass } from '../order/conflicts.ts'
import type { OrderNode } from '../order/order.ts'
import type { LockHolder, ResourceLocks } from '../order/resource-locks.ts'
import type { LimitedCall, ToolSlot } from '../order/tool-slots.ts'
import type { CallOutput } from '../output/call-output.ts'
import type { Tool } from '../tool/tool.ts'
import type { AsyncContext } from './async-context.ts'
import type { Batch } from './batch.ts'
import type { CallEntry } from './call-list.ts'

/** Finer-grained than `state`, which observers see. */
type Phase = 'admission' | 'order' | 'question' | 'slot' | 'running' | 'healing' | 'ended'

interface CallCopies {
  /** The requested parameters. */
  params?: unknown
  /** The same without secrets, and the version of the redactor that they are from. */
  redacted?: unknown
  redactedIn?: number
  /** The part of `meta` that fits into a row. */
  meta?: Readonly<Record<string, unknown>>
  /** Of `meta`, for observers, without the secrets that were known in this version of the redactor. */
  plainMeta?: Readonly<Record<string, unknown>>
  plainMetaIn?: number
}

/** The data of one call. The scheduler decides what happens to it. */
export class Call implements LockHolder, LimitedCall {
  readonly uid: number
  readonly request: CallRequest
  readonly index: number
  readonly batch: Batch
  readonly createdAt: number

  /** Changed only by `CallStore.dispatch`. */
  state: CallState = { status: 'validating' }
  phase: Phase = 'admission'
  tool: Tool | null = null
  params: unknown
  keys: readonly string[] = none
  conflictClass: ConflictClass = 0
  /** The call loads a stub and does not run its tool. */
  loads = false
  approved = false
  /** Who or what allowed the call; `null` until then. */
  allowedBy: AllowedBy | null = null
  /** The reason of the tool's restriction that applied when the call was decided. */
  restriction: string | null = null
  /** A call of a step that has not been started yet. Counts as one of its blockers. */
  reserved = false
  /** Competes for its resource keys with the calls of other batches. */
  locked = false
  /** Functions that withdraw open questions. Created on first use, because most calls ask nothing. */
  withdrawals: Set<() => void> | null = null
  /** Removes the listeners of the signals that stop the call. */
  unwatch: (() => void) | null = null
  execution: Execution<Call> | null = null
  /** Where the call was started; the tool runs in the same context. */
  asyncContext: AsyncContext | null = null
  startedAt: number | null = null
  /** When it last wrote output, reported progress, started or resumed. */
  activeAt: number
  /** How often the call was retried with another key. */
  heals = 0
  /** The number of secrets that had been replaced in this runtime when this attempt started. */
  replacementsAtStart = 0
  /** The same number when each secret was read, by secret name. */
  secretsRead: Map<string, number> | null = null
  /** The number of questions that the tool has asked. */
  questions = 0
  /** The number of characters that the tool has logged. */
  logLength = 0
  progress: Progress | null = null
  /** The live output of all attempts. Created with the first chunk, because most tools emit none. */
  output: CallOutput | null = null
  notices: readonly string[] = none
  /** How deep the calls of this runtime are nested in those of another process. */
  outerDepth = 0
  /** When the outer call that requested this one ends, by the clock. */
  outerEndsAt: number | null = null
  /** Where the call belongs in a trace: what its caller sent, or what middleware has set instead. Nested calls inherit it. */
  traceContext: TraceContext | null = null
  /** The validated `timeout` of the request. */
  timeoutMs: number | undefined
  /** What rows and observers see instead of objects that the tool may change. Created on first use. */
  copies: CallCopies | null = null
  /** Identifies the tool and its arguments for loop detection. */
  loopKey: string | null = null
  /** Identifies a successful result for loop detection. */
  loopOutcome: string | null = null
  /** Batches that run inside this call. */
  children: Set<Batch> | null = null
  /** Conversations that run inside this call. */
  conversations: Set<ConversationState> | null = null
  /** The background task that continues this call. */
  task: Call | null = null
  /** Of a background task: the uid of the call that it continues, which its tool knows. */
  continues: number | null = null
  /** Called with the result of a call of a step. */
  onSettled: ((result: CallResult) => void) | null = null
  /** Stops writing a long result to a file. */
  stopSpill: (() => void) | null = null

  // Used by `Order` and `ResourceLocks`.
  blockers = 0
  dependents: OrderNode[] | null = null
  finished = false
  scope: ResourceLocks | null = null

  // Used by `ToolSlots`.
  toolSlot: ToolSlot | null = null

  // Used by `CallStore`.
  entry: CallEntry | null = null

  constructor(uid: number, request: CallRequest, index: number, batch: Batch, createdAt: number) {
    this.uid = uid
    this.request = request
    this.index = index
    this.batch = batch
    this.createdAt = createdAt
    this.activeAt = createdAt
    this.params = request.params
  }

  get callId(): string {
    return this.request.id
  }

  get name(): string {
    return this.request.name
  }

  get meta(): CallRequest['meta'] {
    return this.request.meta
  }

  get conversation(): string {
    return this.batch.turn.conversation.id
  }

  /** The uid of the background task that continues the call. */
  get detachedTo(): number | null {
    return this.task?.uid ?? null
  }

  get parent(): Call | null {
    return this.batch.parent
  }

  /** The call runs as a background task. */
  get background(): boolean {
    return this.batch.kind === 'task'
  }

  get depth(): number {
    return this.batch.depth
  }

  /** Including the calls of other processes that it is nested in. */
  get maxDepth(): number {
    return this.batch.turn.conversation.limits.depth
  }

  get totalDepth(): number {
    return this.batch.depth + this.outerDepth
  }

  get running(): boolean {
    return this.phase === 'running'
  }

  /** The tool is running and has not been stopped, so it may ask, detach and run other calls. */
  get active(): boolean {
    const { execution } = this
    return this.running && execution !== null && !execution.stopping && !execution.ended
  }

  get ended(): boolean {
    return isTerminal(this.state.status)
  }
}

const none: readonly string[] = Object.freeze([])
