import type { CurfewError } from '../errors/curfew-error.ts'
import type { Execution, ExecutionHost, ExecutionOutcome } from '../execute/execution.ts'
import type { Batch } from '../schedule/batch.ts'
import type { CallServices } from '../schedule/call-services.ts'
import type { CallRequest } from '../schedule/check-batch.ts'
import type { ConflictClass } from '../schedule/conflicts.ts'
import type { OrderNode } from '../schedule/order.ts'
import type { LockHolder, ResourceLocks } from '../schedule/resource-locks.ts'
import type { SlotWaiter } from '../schedule/slots.ts'
import type { CallEntry } from '../store/call-list.ts'
import type { Tool } from '../tool/tool.ts'
import type { InputRequest, Progress, SecretRequest } from '../tool/tool-context.ts'
import type { CallResult } from './call-result.ts'
import type { CallState } from './call-state.ts'
import { isTerminal } from './call-state.ts'
import type { ToolCall } from './tool-call.ts'

/** Everything that happens to a call is decided here; the call itself only holds the data. */
export interface CallOwner {
  onUnblocked(call: Call): void
  onSlot(call: Call): boolean
  onQueueExpired(call: Call): void
  onOutcome(call: Call, outcome: ExecutionOutcome): void
  onStop(call: Call, error: CurfewError): void
  execute(call: Call, calls: readonly ToolCall[]): Promise<CallResult[]>
}

/** What a call is waiting for. Finer than its state, which is what the outside sees. */
type Phase = 'admission' | 'order' | 'question' | 'slot' | 'running' | 'healing' | 'ended'

/** One call on its way through the scheduler. */
export class Call implements LockHolder, SlotWaiter, ExecutionHost {
  readonly uid: number
  readonly request: CallRequest
  readonly index: number
  readonly batch: Batch
  readonly createdAt: number
  readonly #owner: CallOwner
  readonly #services: CallServices

  /** Only the store changes it, along the edges of the table. */
  state: CallState = { status: 'validating' }
  phase: Phase = 'admission'
  tool: Tool | null = null
  params: unknown
  keys: readonly string[] = noKeys
  conflictClass: ConflictClass = 0
  /** The call loads a stub and does not run its tool. */
  loads = false
  /** The gate is open for it. */
  approved = false
  /** Each takes an open question back. Made when it is first needed, as most calls ask nothing. */
  withdrawals: Set<() => void> | null = null
  execution: Execution | null = null
  startedAt: number | null = null
  /** How often it was run again with another key. */
  heals = 0
  /** How many secrets had been replaced in this runtime when this attempt began. */
  replacementsAtStart = 0
  /** The same for the secrets that it has read since, by their names. */
  secretsRead: Map<string, number> | null = null
  /** How often it has asked the person, and how much it has logged. */
  questions = 0
  logLength = 0
  progress: Progress | null = null
  notices: string[] = []
  /** What the call itself asks for, checked. */
  timeoutMs: number | undefined
  /** The tool and its arguments as a text, where loops are looked for. */
  loopKey: string | null = null
  /** What a success came to, before it was capped. */
  loopOutcome: string | null = null
  /** Batches that run inside this call. */
  children: Set<Batch> | null = null
  /** Cuts short the writing of a long result to a file. */
  stopSpill: (() => void) | null = null

  // For the order of calls and their locks.
  blockers = 0
  dependents: OrderNode[] | null = null
  finished = false
  scope: ResourceLocks | null = null
  queueExpiry = 0

  // For the store.
  entry: CallEntry | null = null

  constructor(
    owner: CallOwner,
    services: CallServices,
    uid: number,
    request: CallRequest,
    index: number,
    batch: Batch,
    createdAt: number,
  ) {
    this.#owner = owner
    this.#services = services
    this.uid = uid
    this.request = request
    this.index = index
    this.batch = batch
    this.createdAt = createdAt
    this.params = request.params
  }

  get callId(): string {
    return this.request.id
  }

  get name(): string {
    return this.request.name
  }

  get meta(): Readonly<Record<string, unknown>> {
    return this.request.meta
  }

  get parent(): Call | null {
    return this.batch.parent
  }

  get running(): boolean {
    return this.phase === 'running'
  }

  get ended(): boolean {
    return isTerminal(this.state.status)
  }

  get waitingForSlot(): boolean {
    return this.phase === 'slot'
  }

  unblock(): void {
    this.#owner.onUnblocked(this)
  }

  takeSlot(): boolean {
    return this.#owner.onSlot(this)
  }

  expireInQueue(): void {
    this.#owner.onQueueExpired(this)
  }

  onOutcome(outcome: ExecutionOutcome): void {
    this.#owner.onOutcome(this, outcome)
  }

  onOutput(): void {
    this.#services.onOutput(this)
  }

  onProgress(progress: Progress): void {
    this.progress = boundProgress(progress, (text) => this.#services.hideSecrets(text))
    this.#services.onOutput(this)
  }

  onHeartbeat(elapsedMs: number): void {
    this.#services.onHeartbeat(this, elapsedMs)
  }

  onStop(error: CurfewError): void {
    this.#owner.onStop(this, error)
  }

  onLate(what: 'result' | 'output'): void {
    this.#services.onLate(this, what)
  }

  ask(request: InputRequest): Promise<string> {
    return this.#services.ask(this, request)
  }

  secret(name: string): Promise<string> {
    return this.#services.secret(this, name)
  }

  requestSecret(request: SecretRequest): Promise<void> {
    return this.#services.requestSecret(this, request)
  }

  log(message: string): void {
    this.#services.log(this, message)
  }

  execute(calls: readonly ToolCall[]): Promise<CallResult[]> {
    return this.#owner.execute(this, calls)
  }
}

const noKeys: readonly string[] = []

const messageLimit = 200

/** A tool's own object may be anything, may change, and may be large. */
function boundProgress(progress: Progress, hide: (text: string) => string): Progress {
  const { current, total, message } = Object(progress) as Partial<Progress>
  const number = (value: unknown): number =>
    hide(String(value)) === String(value) ? Number(value) : Number.NaN
  return {
    current: number(current),
    total: total === undefined ? undefined : number(total),
    message: message === undefined ? undefined : hide(String(message)).slice(0, messageLimit),
  }
}
