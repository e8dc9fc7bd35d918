import type { Call } from '../call/call.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { capText } from '../output/head-tail.ts'
import type { AskPerson } from '../policy/ask-person.ts'
import type { InputAnswer, InputQuestion } from '../policy/question.ts'
import type { RuntimeSettings } from '../runtime/runtime-options.ts'
import type { CallStore } from '../store/call-store.ts'
import { Listeners } from '../store/listeners.ts'
import type { InputRequest, SecretRequest } from '../tool/tool-context.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { Abandoned } from './abandoned.ts'
import { Credentials } from './credentials.ts'
import { formatHeartbeat, type Heartbeat } from './heartbeat.ts'

/** Limits for one log line, and for all log lines of a call. */
const maxLineLength = 8_192
const maxLogLength = 1 << 20
/** Questions to the person per call. */
const maxQuestions = 100

/** What a running tool may do beside returning: speak, ask, read its secrets, come too late. */
export class CallServices {
  readonly #settings: RuntimeSettings
  readonly #store: CallStore
  readonly #person: AskPerson
  readonly abandoned: Abandoned = new Abandoned()
  readonly credentials: Credentials
  readonly heartbeats: Listeners<Heartbeat>

  constructor(settings: RuntimeSettings, tools: ToolRegistry, store: CallStore, person: AskPerson) {
    this.#settings = settings
    this.#store = store
    this.#person = person
    this.heartbeats = new Listeners((error) =>
      settings.log({ level: 'error', message: 'a heartbeat listener failed', error }),
    )
    this.credentials = new Credentials(settings, tools, person, (call) => this.pause(call))
  }

  onOutput(call: Call): void {
    this.#store.touch(call)
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
    // Hidden first: a cut through a secret would leave its beginning.
    const line = capText(this.hideSecrets(String(message)), maxLineLength)
    call.logLength += line.length
    this.#info(call, `${call.name}: ${line}`)
    if (call.logLength <= maxLogLength) return
    const dropped = `${call.name} has logged more than ${maxLogLength} characters; the rest is dropped`
    this.#settings.log({ level: 'warn', message: dropped, callUid: call.uid })
  }

  onLate(call: Call, what: 'result' | 'output'): void {
    this.abandoned.late(call, what)
    this.#store.refresh()
    if (what === 'result') this.#info(call, `late result of ${call.name} dropped`)
  }

  onAbandoned(call: Call): void {
    this.abandoned.add(call)
    const message = `${call.name} ignored its signal and was abandoned`
    this.#settings.log({ level: 'warn', message, callUid: call.uid })
  }

  async secret(call: Call, name: string): Promise<string> {
    assertRunning(call)
    return await this.credentials.read(call, name)
  }

  async requestSecret(call: Call, request: SecretRequest): Promise<void> {
    assertRunning(call)
    await this.credentials.request(call, request)
  }

  hideSecrets(text: string): string {
    return this.#settings.redactor.text(text)
  }

  async ask(call: Call, { message, choices }: InputRequest): Promise<string> {
    assertRunning(call)
    if (++call.questions > maxQuestions) {
      throw new CurfewError('LIMIT_EXCEEDED', `${call.name} has asked ${maxQuestions} questions in one call`)
    }
    const question = {
      kind: 'input',
      callUid: call.uid,
      callId: call.callId,
      tool: call.name,
      params: this.#settings.redactor.data(call.params),
      message: this.#settings.redactor.text(String(message)),
      // A copy: what a tool passes may be no array, or change.
      choices: choices == null ? null : Array.from(choices, (choice) => this.hideSecrets(String(choice))),
    } as const
    return await new Promise((resolve, reject) => {
      const resume = this.pause(call)
      const open = this.#person.ask(question, (outcome) => {
        call.withdrawals?.delete(takeBack)
        resume()
        const text = outcome.kind === 'answered' ? textOf(outcome.answer) : null
        if (text !== null && (question.choices?.includes(text) ?? true)) resolve(text)
        else if (outcome.kind === 'answered') reject(notAnAnswer(question))
        else if (outcome.kind === 'expired')
          reject(new CurfewError('APPROVAL_EXPIRED', `nobody answered: ${question.message}`))
        else reject(new CurfewError('DENIED', `there is nobody to ask: ${question.message}`))
      })
      const takeBack = (): void => {
        resume()
        open.withdraw()
        reject(new CurfewError('CANCELLED', `the question was taken back: ${question.message}`))
      }
      call.withdrawals = (call.withdrawals ?? new Set()).add(takeBack)
    })
  }

  /** Stops the clocks of a call and its ancestors; returns how to start them again. */
  pause(call: Call | null): () => void {
    if (call?.execution == null) return () => {}
    const { timer } = call.execution
    timer.pause()
    this.#store.touch(call)
    return () => {
      timer.resume()
      if (!call.ended) this.#store.touch(call)
    }
  }

  #info(call: Call, message: string): void {
    this.#settings.log({ level: 'info', message, callUid: call.uid })
  }
}

function textOf(answer: unknown): string | null {
  const text = (answer as Partial<InputAnswer> | null)?.text
  return typeof text === 'string' ? text : null
}

function notAnAnswer({ message, choices }: Pick<InputQuestion, 'message' | 'choices'>): CurfewError {
  const wanted = choices === null ? '{ text: "..." }' : `{ text } with one of ${choices.join(', ')}`
  return new CurfewError('DENIED', `${message}: the answer was not understood; it is ${wanted}`)
}

/** A tool that was stopped, or has ended, can start nothing more. */
export function assertRunning(call: Call): void {
  if (call.running && call.execution?.stopping === false) return
  throw new CurfewError('CANCELLED', `${call.name} has been stopped and can neither ask nor run other tools`)
}
