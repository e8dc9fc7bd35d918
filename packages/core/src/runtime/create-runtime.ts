import type { CallResult } from '../call/call-result.ts'
import type { CallRow } from '../call/call-row.ts'
import type { ToolCall } from '../call/tool-call.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { AskPerson } from '../policy/ask-person.ts'
import type { BreakersSnapshot } from '../policy/breakers.ts'
import type { QuestionHandler } from '../policy/question.ts'
import { type ContinuationStatus, type TurnStatus, Turns } from '../policy/turns.ts'
import type { LateCounters } from '../schedule/abandoned.ts'
import { checkBatch } from '../schedule/check-batch.ts'
import type { Heartbeat } from '../schedule/heartbeat.ts'
import { Scheduler } from '../schedule/scheduler.ts'
import { type CallDelta, CallStore, type Transition } from '../store/call-store.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolRegistry } from '../tool/tool-registry.ts'
import type { ToolView, View } from '../tool/tool-views.ts'
import { type RuntimeOptions, resolveOptions } from './runtime-options.ts'

export interface ExecuteOptions {
  /** Cancels the whole batch. */
  readonly signal?: AbortSignal | undefined
  /**
   * Batches with the same turn share its limits, its loop detection and what was allowed for it.
   * @default the batch is a turn of its own
   */
  readonly turn?: string | undefined
  /**
   * For a batch without a turn: a turn whose limit on calls it counts towards. What was allowed for that turn, its loops
   * and its stop have no effect on the batch.
   */
  readonly budget?: string | undefined
  /** The uid of a running call (`context.uid`) that these calls belong to. */
  readonly parent?: number | undefined
}

export interface RuntimeSnapshot {
  /** Live calls and the last 1,000 finished, oldest first. The same array while nothing changes. */
  readonly calls: readonly CallRow[]
  readonly breakers: BreakersSnapshot
  readonly late: LateCounters
}

export interface Runtime {
  /** Adds tools, all or none; the returned function takes them out again. */
  register(...tools: readonly (Tool | readonly Tool[])[]): () => void
  /** One result per call, in the order of the calls. Rejects only for misuse, before anything starts. */
  execute(calls: readonly ToolCall[], options?: ExecuteOptions): Promise<CallResult[]>
  /** Cancels the live calls with this id; false if there is none. */
  cancel(id: string, reason?: string): boolean
  cancelAll(reason?: string): void
  /** Hears of changes, at most once per turn of the event loop. */
  subscribe(listener: (delta: CallDelta) => void): () => void
  getSnapshot(): RuntimeSnapshot
  /** Hears of every single step, at once. */
  onTransition(observer: (transition: Transition) => void): () => void
  /** Calls the listener with every heartbeat of a running call; they are logged as well. Returns an unsubscribe function. */
  onHeartbeat(listener: (heartbeat: Heartbeat) => void): () => void
  /** Is asked beside those who are asked already. */
  onQuestion(handler: QuestionHandler): () => void
  /** What the model is to be shown. */
  listTools(view?: View): ToolView[]
  /** Has this turn used up its calls? */
  turnStatus(turn: string): TurnStatus
  /** Call it before the conversation goes on with tool results: may it? */
  continueConversation(conversation: string): ContinuationStatus
  /**
   * Stops the clocks of a running call (`context.uid`) and its ancestors while a person is waited for elsewhere; returns
   * how to start them again.
   */
  pause(uid: number): () => void
  /** From now on this value leaves the runtime nowhere. Returns what forgets it, for a secret that is none any more. */
  hideSecret(name: string, value: string): () => void
  /** Cancels everything, waits until all of it has ended, and removes temporary files with long results. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** How many finished calls the snapshot keeps. */
const keepFinished = 1_000

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const settings = resolveOptions(options)
  const { clock, log } = settings
  const report = (message: string, error: unknown): void => log({ level: 'error', message, error })
  const tools = new ToolRegistry(settings.missingTools)
  const store = new CallStore(clock, keepFinished, report, settings.redactor)
  const person = new AskPerson(clock, settings.approvalTimeout, report)
  const turns = new Turns(settings.limits, settings.loops)
  const scheduler = new Scheduler(settings, tools, store, person)
  let closed = false
  let snapshot: RuntimeSnapshot | null = null
  if (settings.ask !== undefined) person.addHandler(settings.ask)

  function run(calls: readonly ToolCall[], options: ExecuteOptions): Promise<CallResult[]> {
    if (closed) throw new CurfewError('RUNTIME_CLOSED', 'execute: the runtime is closed')
    const requests = checkBatch(calls, options)
    const { signal, parent: parentUid } = options
    const parent = parentUid === undefined ? null : (scheduler.runningCall(parentUid) ?? null)
    if (parentUid !== undefined && parent === null) {
      throw new CurfewError('INVALID_OPTION', `parent: no running call has the uid ${String(parentUid)}`, {
        field: 'parent',
      })
    }
    const { turn: id, budget } = options
    const turn = id === undefined && parent !== null ? parent.batch.turn : turns.get(id, budget)
    return scheduler.run(requests, { turn, parent, signal })
  }

  function execute(calls: readonly ToolCall[], options: ExecuteOptions = {}): Promise<CallResult[]> {
    try {
      return run(calls, options)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async function close(): Promise<void> {
    closed = true
    await scheduler.close()
    store.close()
  }

  return {
    register: (...added) => tools.register(added.flat()),
    execute,
    cancel: (id, reason = 'by the caller') => scheduler.stopCalls(id, cancellation(reason)) > 0,
    cancelAll: (reason = 'by the caller') => scheduler.stopAll(cancellation(reason)),
    subscribe: (listener) => store.subscribe(listener),
    getSnapshot() {
      const calls = store.snapshot()
      if (snapshot?.calls !== calls) {
        snapshot = {
          calls,
          breakers: scheduler.breakers.snapshot(clock.wallTime() - clock.now()),
          late: scheduler.services.abandoned.counters(),
        }
      }
      return snapshot
    },
    onTransition: (observer) => store.observe(observer),
    onHeartbeat: (listener) => scheduler.services.heartbeats.add(listener),
    onQuestion: (handler) => person.addHandler(handler),
    listTools: (view = settings.view) => tools.list(view),
    turnStatus: (turn) => turns.status(turn),
    continueConversation: (conversation) => turns.continue(conversation),
    pause: (uid) => scheduler.services.pause(scheduler.runningCall(uid) ?? null),
    hideSecret: (name, value) => settings.redactor.add(name, value),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function cancellation(reason: string): CurfewError {
  return new CurfewError('CANCELLED', `the call was cancelled: ${reason}`)
}
