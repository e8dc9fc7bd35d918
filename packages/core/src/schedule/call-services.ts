import type { CallResult } from '../call/call-result.ts'
import type { Progress } from '../call/progress.ts'
import { type CallRequest, readCalls } from '../call/read-calls.ts'
import type { ToolCall } from '../call/tool-call.ts'
import { Listeners } from '../collections/listeners.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { unexpectedOption } from '../errors/field-error.ts'
import type { ToolServices } from '../execute/execution.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { boundProgress } from '../output/bound-progress.ts'
import { CallOutput } from '../output/call-output.ts'
import { capText } from '../output/head-tail.ts'
import type { AskOutcome, AskPerson } from '../policy/ask-person.ts'
import { inputQuestion, maxQuestions, readInputAnswer } from '../policy/input-questions.ts'
import type { OutputStream } from '../process/output-stream.ts'
import type { Call } from '../store/call.ts'
import type { CallStore } from '../store/call-store.ts'
import type { Conversation, ConversationOptions } from '../tool/conversation.ts'
import type { Middleware } from '../tool/middleware.ts'
import type { InputRequest, SecretRequest, ToolContext } from '../tool/tool-context.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { AbandonedCalls, type LateEnd } from './abandoned-calls.ts'
import type { CallOutputEvent } from './call-output-event.ts'
import { Credentials } from './credentials.ts'
import { formatHeartbeat, type Heartbeat } from './heartbeat.ts'
import { runMiddleware } from './run-middleware.ts'
import { addWithdrawal } from './withdrawals.ts'

/** Limits for one log line, and for all log lines of a call. */
const maxLineLength = 8_192
const maxLogLength = 1 << 20

export interface ServiceCallbacks {
  runNested(parent: Call, requests: readonly CallRequest[]): Promise<CallResult[]>
  openConversation(parent: Call, options: ConversationOptions): Conversation
  /** Continues a running call in the background; returns the background task. */
  detach(call: Call, content?: string): Call
}

/** Everything that a running tool can do besides returning: emit output, log, ask, read secrets, call other tools. */
export class CallServices implements ToolServices<Call> {
  readonly #settings: RuntimeSettings
  readonly #store: CallStore
  readonly #person: AskPerson
  readonly #callbacks: ServiceCallbacks
  /** Wraps every attempt of every call; the first is the outermost. */
  middleware: readonly Middleware[] = []
  readonly abandoned: AbandonedCalls = new AbandonedCalls()
  readonly credentials: Credentials
  readonly heartbeats: Listeners<Heartbeat>
  readonly outputs: Listeners<CallOutputEvent>
  readonly lateEnds: Listeners<LateEnd>
  #hasLoggedSpillError = false

  constructor(
    settings: RuntimeSettings,
    tools: ToolRegistry,
    store: CallStore,
    person: AskPerson,
    callbacks: ServiceCallbacks,
  ) {
    this.#settings = settings
    this.#store = store
    this.#person = person
    this.#callbacks = callbacks
    this.credentials = new Credentials(settings, tools, person, (call) => this.pause(call))
    const listeners = <T>(kind: string): Listeners<T> =>
      new Listeners((error) => settings.log({ level: 'error', message: `${kind} listener failed`, error }))
    this.heartbeats = listeners('a heartbeat')
    this.outputs = listeners('an output')
    this.lateEnds = listeners('a late end')
  }

  onOutput(call: Call, stream: OutputStream, text: string, _offset: number, pending: string): void {
    call.output ??= new CallOutput(call.name, call.batch.turn.conversation.spill, this.#onSpillError)
    const offset = call.output.append(text)
    this.#touch(call)
    if (this.outputs.size > 0) this.outputs.notify({ uid: call.uid, stream, text, offset, pending })
  }

  readonly #onSpillError = (error: unknown): void => {
    // A full disk would otherwise be logged for every call.
    if (this.#hasLoggedSpillError) return
    this.#hasLoggedSpillError = true
    this.#settings.log({
      level: 'warn',
      message: 'live output could not be written to a file; what does not fit in memory is dropped',
      error,
    })
  }

  onProgress(call: Call, progress: Progress): void {
    call.progress = boundProgress(progress, this.#settings.redactor)
    this.#touch(call)
  }

  onHeartbeat(call: Call, elapsedMs: number): void {
    const { timeoutMs } = call.state as { timeoutMs: number }
    const { uid, callId: id, name } = call
    const meta = this.#settings.redactor.data(call.meta)
    const heartbeat: Heartbeat = { uid, id, name, elapsedMs, timeoutMs, meta }
    this.#settings.log({
      level: 'info',
      message: formatHeartbeat(heartbeat),
      callUid: uid,
      heartbeat: { callId: id, elapsedMs, timeoutMs },
    })
    this.heartbeats.notify(heartbeat)
  }

  log(call: Call, message: string): void {
    if (call.logLength > maxLogLength) return
    // Redacted before it is cut: half a secret would not be recognized.
    const line = capText(this.#settings.redactor.text(String(message)), maxLineLength)
    call.logLength += line.length
    this.#log(call, 'info', `${call.name}: ${line}`)
    if (call.logLength <= maxLogLength) return
    this.#log(call, 'warn', `${call.name} logged more than ${maxLogLength} characters; the rest is dropped`)
  }

  onLate(call: Call, kind: 'output' | LateEnd['outcome']): void {
    this.abandoned.onLate(call, kind === 'output' ? 'output' : 'result')
    this.#store.refresh()
    if (kind === 'output') return
    this.#log(call, 'info', `late result of ${call.name} dropped`)
    if (this.lateEnds.size === 0) return
    const { clock } = this.#settings
    const { uid, callId: id, name } = call
    this.lateEnds.notify({ uid, id, name, outcome: kind, at: clock.now(), wallTime: clock.wallTime() })
  }

  onListenerError(call: Call, error: unknown): void {
    const message = `an abort listener of ${call.name} threw`
    this.#settings.log({ level: 'error', message, callUid: call.uid, error })
  }

  onAbandoned(call: Call): void {
    this.abandoned.add(call)
    this.#log(call, 'warn', `${call.name} ignored its signal and was abandoned`)
  }

  async secret(call: Call, name: string): Promise<string> {
    assertRunning(call)
    return await this.credentials.read(call, name)
  }

  async requestSecret(call: Call, request: SecretRequest): Promise<void> {
    assertRunning(call)
    await this.credentials.request(call, request)
  }

  async ask(call: Call, request: InputRequest): Promise<string> {
    assertRunning(call)
    if (++call.questions > maxQuestions) {
      throw new CurfewError('LIMIT_EXCEEDED', `${call.name} asked more than ${maxQuestions} questions`)
    }
    const { redactor } = this.#settings
    const scope = call.batch.turn.conversation
    const base = {
      ...this.#person.identify(scope),
      callUid: call.uid,
      callId: call.callId,
      tool: call.name,
      params: redactor.data(call.params),
    }
    const question = inputQuestion(base, request, redactor)
    const outcome = await new Promise<AskOutcome>((resolve, reject) => {
      const resume = this.pause(call)
      const withdraw = this.#person.ask(question, scope, (answered) => {
        unregister()
        resume()
        resolve(answered)
      })
      const unregister = addWithdrawal(call, () => {
        resume()
        withdraw()
        reject(new CurfewError('CANCELLED', `the question was withdrawn: ${question.message}`))
      })
    })
    return readInputAnswer(question, outcome)
  }

  async execute(call: Call, calls: readonly ToolCall[]): Promise<CallResult[]> {
    const requests = readCalls(calls)
    assertRunning(call)
    return await this.#callbacks.runNested(call, requests)
  }

  conversation(call: Call, options: ConversationOptions = {}): Conversation {
    assertRunning(call)
    return this.#callbacks.openConversation(call, options)
  }

  async detach(call: Call, content?: string): Promise<number> {
    assertRunning(call)
    if (content !== undefined && typeof content !== 'string') {
      throw unexpectedOption('content', 'a string', content)
    }
    // A background task cannot be detached again.
    return (call.background ? call : this.#callbacks.detach(call, content)).uid
  }

  run(call: Call, context: ToolContext, execute: () => unknown): unknown {
    return this.middleware.length === 0 ? execute() : runMiddleware(this.middleware, call, context, execute)
  }

  /** Pauses the clocks of a call and its ancestors; returns a function that resumes them. */
  pause(call: Call | null): () => void {
    if (call?.execution == null) return () => {}
    const { timer } = call.execution
    timer.pause()
    this.#store.touch(call)
    return () => {
      timer.resume()
      if (!call.ended) this.#touch(call)
    }
  }

  /** After output, progress or a pause. */
  #touch(call: Call): void {
    // Otherwise the time was taken within the same frame.
    if (!call.entry!.dirty) call.activeAt = this.#settings.clock.wallTime()
    this.#store.touch(call)
  }

  #log(call: Call, level: 'info' | 'warn', message: string): void {
    this.#settings.log({ level, message, callUid: call.uid })
  }
}

/** A tool that has ended or was stopped can start nothing new. */
function assertRunning(call: Call): void {
  if (call.active) return
  throw new CurfewError('CANCELLED', `${call.name} was stopped and can neither ask nor run other tools`)
}
