/// <reference lib="esnext.disposable" preserve="true" />
import type { CallResult } from '../call/call-result.ts'
import type { CallRow } from '../call/call-row.ts'
import type { QuestionHandler } from '../call/question.ts'
import { readCalls } from '../call/read-calls.ts'
import type { ToolCall } from '../call/tool-call.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import type { RuntimeOptions } from '../options/runtime-options.ts'
import type { OutputRead } from '../output/call-output.ts'
import { AskPerson } from '../policy/ask-person.ts'
import type { BreakersSnapshot } from '../policy/breakers.ts'
import { type ContinuationStatus, type TurnStatus, Turns } from '../policy/turns.ts'
import type { CallDelta, CallSnapshot } from '../rows/call-delta.ts'
import type { LateCounters, LateEnd } from '../schedule/abandoned-calls.ts'
import type { CallOutputEvent } from '../schedule/call-output-event.ts'
import { cancelledError } from '../schedule/cancelled-error.ts'
import type { Heartbeat } from '../schedule/heartbeat.ts'
import { Scheduler } from '../schedule/scheduler.ts'
import { CallStore, type Transition } from '../store/call-store.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolRegistry } from '../tool/tool-registry.ts'
import type { ToolView, View } from '../tool/tool-views.ts'
import { checkExecuteOptions, type ExecuteOptions } from './execute-options.ts'

export interface RuntimeSnapshot extends CallSnapshot {
  readonly breakers: BreakersSnapshot
  readonly late: LateCounters
}

export interface Runtime {
  /** Adds tools, all or none. Returns a function that unregisters them. */
  register(...tools: readonly (Tool | readonly Tool[])[]): () => void
  /** Runs a batch of calls. Resolves with one result per call, in order; rejects only for misuse, before anything starts. */
  execute(calls: readonly ToolCall[], options?: ExecuteOptions): Promise<CallResult[]>
  /** Cancels the live calls with this id. Returns false if there are none. */
  cancel(id: string, reason?: string): boolean
  cancelAll(reason?: string): void
  /** Calls the listener with changes, at most once per turn of the event loop. Returns an unsubscribe function. */
  subscribe(listener: (delta: CallDelta) => void): () => void
  /** The same object while nothing changes. */
  getSnapshot(): RuntimeSnapshot
  /** The changes since a revision that a reader has; `null` if that is too long ago and it needs a snapshot. */
  changesSince(revision: number): CallDelta | null
  /** A live call, or one of the last 1,000 finished ones. */
  getCall(uid: number): CallRow | undefined
  /** Like `subscribe`, with the row of one call. Does nothing if the call is unknown. */
  subscribeCall(uid: number, listener: (row: CallRow) => void): () => void
  /** Calls the listener synchronously with the live output of every call, in order. Returns an unsubscribe function. */
  onOutput(listener: (output: CallOutputEvent) => void): () => void
  /**
   * Reads the live output of a call from a character on, at most 65,536 characters at a time, while it runs and afterwards.
   * Resolves to `null` if the call is unknown.
   */
  readOutput(uid: number, from?: number): Promise<OutputRead | null>
  /** Calls the observer synchronously with every state change of every call. Returns an unsubscribe function. */
  onTransition(observer: (transition: Transition) => void): () => void
  /** Calls the listener when an abandoned tool has ended after all. Returns an unsubscribe function. */
  onLateEnd(listener: (end: LateEnd) => void): () => void
  /** Calls the listener with every heartbeat of a running call, which is also logged. Returns an unsubscribe function. */
  onHeartbeat(listener: (heartbeat: Heartbeat) => void): () => void
  /** Adds a question handler; the first answer counts. Returns a function that removes it. */
  onQuestion(handler: QuestionHandler): () => void
  /** The tools as they are presented to the model. */
  listTools(view?: View): ToolView[]
  turnStatus(turn: string): TurnStatus
  /** Counts one continuation of a conversation with tool results. Call it before continuing, and check `windDown`. */
  continueConversation(conversation: string): ContinuationStatus
  /**
   * Pauses the clocks of a running call (`context.uid`) and its ancestors while a person is prompted elsewhere. Returns a
   * function that resumes them.
   */
  pause(uid: number): () => void
  /** Redacts this value from everything that leaves the runtime. Returns a function that stops redacting it. */
  hideSecret(name: string, value: string): () => void
  /** Cancels all calls, waits until they have ended, and removes temporary files with long results. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The number of finished calls in the snapshot. */
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
  let snapshotOf: CallSnapshot | null = null
  if (settings.ask !== undefined) person.addHandler(settings.ask)

  function run(calls: readonly ToolCall[], options: ExecuteOptions): Promise<CallResult[]> {
    if (closed) throw new CurfewError('RUNTIME_CLOSED', 'execute: the runtime is closed')
    const requests = readCalls(calls)
    checkExecuteOptions(options)
    const { signal, turn: id, budget, parent: parentUid } = options
    const parent = parentUid === undefined ? null : (scheduler.runningCall(parentUid) ?? null)
    if (parentUid !== undefined && parent === null) {
      const message = `parent: expected the uid of a running call, got ${String(parentUid)}`
      throw new CurfewError('INVALID_OPTION', message, { field: 'parent' })
    }
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
    cancel: (id, reason = 'by the caller') => scheduler.stopCalls(id, cancelledError(reason)) > 0,
    cancelAll: (reason = 'by the caller') => scheduler.stopAll(cancelledError(reason)),
    subscribe: (listener) => store.subscribe(listener),
    getSnapshot() {
      const current = store.snapshot()
      if (snapshotOf !== current) {
        snapshotOf = current
        snapshot = {
          ...current,
          breakers: scheduler.breakers.snapshot(clock.wallTime() - clock.now()),
          late: scheduler.services.abandoned.counters(),
        }
      }
      return snapshot!
    },
    changesSince: (revision) => store.changesSince(revision),
    getCall: (uid) => store.row(uid),
    subscribeCall: (uid, listener) => store.subscribeCall(uid, listener),
    onOutput: (listener) => scheduler.services.outputs.add(listener),
    async readOutput(uid, from = 0) {
      if (!Number.isSafeInteger(from) || from < 0) {
        const message = `from: expected an offset in characters, got ${describeValue(from)}`
        throw new CurfewError('INVALID_OPTION', message, { field: 'from' })
      }
      return await store.readOutput(uid, from)
    },
    onTransition: (observer) => store.observe(observer),
    onLateEnd: (listener) => scheduler.services.lateEnds.add(listener),
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
