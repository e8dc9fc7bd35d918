/// <reference lib="esnext.disposable" preserve="true" />
import type { CallResult } from '../call/call-result.ts'
import type { CallRow } from '../call/call-row.ts'
import type { Answer, QuestionHandler } from '../call/question.ts'
import { readCall, readCalls } from '../call/read-calls.ts'
import type { ToolCall } from '../call/tool-call.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { invalidOption, unexpectedOption } from '../errors/field-error.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import type { RuntimeOptions } from '../options/runtime-options.ts'
import type { OutputRead } from '../output/call-output.ts'
import { AskPerson } from '../policy/ask-person.ts'
import type { FailuresSnapshot } from '../policy/breakers.ts'
import type { WindowBreakerSnapshot } from '../policy/window-breaker.ts'
import type { CallDelta, CallSnapshot } from '../rows/call-delta.ts'
import type { LateCounters, LateEnd } from '../schedule/abandoned-calls.ts'
import type { RuntimeRules } from '../schedule/approval-gate.ts'
import type { CallOutputEvent } from '../schedule/call-output-event.ts'
import { cancelledError } from '../schedule/cancelled-error.ts'
import { decideCall } from '../schedule/decide-call.ts'
import type { Heartbeat } from '../schedule/heartbeat.ts'
import { resolveToolTimeout, type ToolTimeout } from '../schedule/resolve-call-timeout.ts'
import { Scheduler } from '../schedule/scheduler.ts'
import type { Call } from '../store/call.ts'
import { CallStore, type Transition } from '../store/call-store.ts'
import type { Conversation, ConversationOptions, Decision, TurnStatus } from '../tool/conversation.ts'
import type { Middleware } from '../tool/middleware.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolRegistry } from '../tool/tool-registry.ts'
import type { ToolView, View } from '../tool/tool-views.ts'
import { Conversations } from './conversations.ts'
import { checkExecuteOptions, type ExecuteOptions } from './execute-options.ts'

export interface RuntimeSnapshot extends CallSnapshot {
  readonly breakers: {
    /** The window of the default conversation. */
    readonly window: WindowBreakerSnapshot
    readonly failures: FailuresSnapshot
  }
  readonly late: LateCounters
}

export interface Runtime {
  /** Adds tools, all or none. Returns a function that unregisters them. */
  register(...tools: readonly (Tool | readonly Tool[])[]): () => void
  /** Runs a batch of calls. Resolves with one result per call, in order; rejects only for misuse, before anything starts. */
  execute(calls: readonly ToolCall[], options?: ExecuteOptions): Promise<CallResult[]>
  /** Opens a conversation with its own tools, limits, loaded stubs and background tasks. Close it when it is over. */
  conversation(options?: ConversationOptions): Conversation
  /** Cancels the live calls with this id, or the one with this uid. Returns false if there are none. */
  cancel(call: string | { readonly uid: number }, reason?: string): boolean
  cancelAll(reason?: string): void
  /** Calls the listener with changes, at most once per turn of the event loop. Returns an unsubscribe function. */
  subscribe(listener: (delta: CallDelta) => void): () => void
  /** The same object while nothing changes. */
  getSnapshot(): RuntimeSnapshot
  /** The changes since a revision that a reader has; `null` if that is too long ago and it needs a snapshot. */
  changesSince(revision: number): CallDelta | null
  /** A live call, or one of the last finished ones (`keepFinished`). */
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
  /**
   * Adds a handler for the questions of all conversations, including the open ones; the first answer counts. Returns a
   * function that removes it.
   */
  onQuestion(handler: QuestionHandler): () => void
  /** Answers an open question. Returns false if it is no longer open. */
  answer(questionId: number, answer: Exclude<Answer, 'later' | undefined>): boolean
  /** What would happen to this call, without running it. */
  decide(call: ToolCall): Decision
  /**
   * Wraps every attempt of every call, after its approval and within its deadline. The middleware that was added first is
   * the outermost. Returns a function that removes it.
   */
  use(middleware: Middleware): () => void
  /** Continues a running call in the background. Returns the uid of the background task, or `null` if the call is not running. */
  detach(uid: number): number | null
  readonly rules: RuntimeRules
  /** The tools as they are presented to the model. */
  listTools(view?: View): ToolView[]
  /** The timeout of a tool's calls if neither the call nor its parent shortens it; `undefined` if there is no such tool. */
  timeoutOf(name: string): ToolTimeout | undefined
  turnStatus(turn: string): TurnStatus
  /** Forgets the failures of an MCP server and its tools, because it was replaced. */
  resetBreakers(server: string): void
  /**
   * Pauses the clocks of a running call (`context.uid`) and its ancestors while a person is prompted elsewhere. Returns a
   * function that resumes them.
   */
  pause(uid: number): () => void
  /** Redacts this value from everything that leaves the runtime. Returns a function that stops redacting it. */
  hideSecret(name: string, value: string): () => void
  /** A string or plain data without the values of secrets, for what does not come from the runtime, such as what a person typed. */
  redact<T>(value: T): T
  /** The same for text that arrives in chunks: what may be the beginning of a secret is held back until more arrives. */
  redactStream(): TextRedactor
  /** Cancels all calls, waits until they have ended, and removes temporary files with long results. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Redacts text that arrives in chunks. */
export interface TextRedactor {
  /** Returns what can be passed on. */
  push(text: string): string
  /** Returns the rest. */
  end(): string
}

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const settings = resolveOptions(options)
  const { clock, log } = settings
  const report = (message: string, error: unknown): void => log({ level: 'error', message, error })
  const tools = new ToolRegistry(settings.missingTools, settings.tools.effective)
  const store = new CallStore(clock, settings.keepFinished, report, settings.redactor)
  const person = new AskPerson(clock, settings.approvalTimeout, report, {
    opened: (question) => store.openQuestion(question),
    closed: (id) => store.closeQuestion(id),
  })
  const scheduler = new Scheduler(settings, tools, store, person, (parent, options) =>
    conversations.open(options, parent),
  )
  const conversations = new Conversations({ settings, tools, person, scheduler, store, assertOpen })
  const { main } = conversations
  let closed = false
  let snapshot: RuntimeSnapshot | null = null
  let snapshotOf: CallSnapshot | null = null
  if (settings.ask !== undefined) person.addHandler(settings.ask)

  function assertOpen(): void {
    if (closed) throw new CurfewError('RUNTIME_CLOSED', 'the runtime is closed')
  }

  function run(calls: readonly ToolCall[], options: ExecuteOptions): Promise<CallResult[]> {
    assertOpen()
    const requests = readCalls(calls)
    checkExecuteOptions(options)
    const { signal, turn: id, parent: parentUid } = options
    const parent = parentUid === undefined ? null : (scheduler.runningCall(parentUid) ?? null)
    if (parentUid !== undefined && parent === null) {
      throw invalidOption('parent', `expected the uid of a running call, got ${String(parentUid)}`)
    }
    const turn = turnOf(id, parent)
    return scheduler.run(requests, { turn, parent, signal, nested: parent !== null })
  }

  function turnOf(id: string | undefined, parent: Call | null): TurnState {
    if (id !== undefined) return main.namedTurn(id)
    if (parent !== null) return parent.batch.turn
    return main.createBatchTurn()
  }

  function execute(calls: readonly ToolCall[], options: ExecuteOptions = {}): Promise<CallResult[]> {
    try {
      return run(calls, options)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  function breakersSnapshot(): RuntimeSnapshot['breakers'] {
    const wallOffset = clock.wallTime() - clock.now()
    return { window: main.window.snapshot(wallOffset), failures: scheduler.breakers.snapshot(wallOffset) }
  }

  function use(middleware: Middleware): () => void {
    if (typeof middleware !== 'function')
      throw new CurfewError('INVALID_OPTION', 'use: expected a function (call, next)', {
        field: 'middleware',
      })
    const { services } = scheduler
    // Wrapped, so that a function that is added twice has to be removed twice.
    const added: Middleware = (call, next) => middleware(call, next)
    services.middleware = [...services.middleware, added]
    return () => {
      services.middleware = services.middleware.filter((other) => other !== added)
    }
  }

  async function close(): Promise<void> {
    closed = true
    await scheduler.close()
    await conversations.closeFiles()
    store.close()
  }

  return {
    register: (...added) => tools.register(added.flat()),
    execute,
    conversation: (options = {}) => conversations.open(options, null),
    cancel: (call, reason = 'by the caller') => scheduler.stopper.stopCalls(call, cancelledError(reason)) > 0,
    cancelAll: (reason = 'by the caller') => scheduler.stopper.stopAll(cancelledError(reason)),
    subscribe: (listener) => store.subscribe(listener),
    getSnapshot() {
      const current = store.snapshot()
      if (snapshotOf !== current) {
        snapshotOf = current
        snapshot = {
          ...current,
          breakers: breakersSnapshot(),
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
        throw unexpectedOption('from', 'an offset in characters', from)
      }
      return await store.readOutput(uid, from)
    },
    onTransition: (observer) => store.observe(observer),
    onLateEnd: (listener) => scheduler.services.lateEnds.add(listener),
    onHeartbeat: (listener) => scheduler.services.heartbeats.add(listener),
    onQuestion: (handler) => person.addHandler(handler),
    answer: (id, answer) => person.answer(id, answer),
    decide: (call) => decideCall(scheduler, readCall(call, 'call'), main.createBatchTurn()),
    rules: scheduler.gate.rules,
    use,
    detach: (uid) => scheduler.detachRunning(uid)?.uid ?? null,
    listTools: (view = settings.view) => tools.list(view, () => true),
    timeoutOf: (name) => {
      const tool = tools.get(name)
      return tool === undefined ? undefined : resolveToolTimeout(settings, tool)
    },
    turnStatus: (turn) => main.turnStatus(turn),
    resetBreakers: (server) => {
      scheduler.breakers.reset(server)
      store.refresh()
    },
    pause: (uid) => scheduler.services.pause(scheduler.runningCall(uid) ?? null),
    hideSecret: (name, value) => settings.redactor.add(name, value),
    redact: (value) => settings.redactor.value(value),
    redactStream: () => settings.redactor.stream(),
    close,
    [Symbol.asyncDispose]: close,
  }
}
