import type { CallResult } from '../call/call-result.ts'
import { copyValidated } from '../call/copy-params.ts'
import type { Progress } from '../call/progress.ts'
import type { Question } from '../call/question.ts'
import type { Clock } from '../clock/clock.ts'
import { callSafely } from '../errors/call-safely.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { logToStderr } from '../options/log.ts'
import { boundProgress } from '../output/bound-progress.ts'
import { type AskOutcome, AskPerson, type QuestionScope } from '../policy/ask-person.ts'
import { inputQuestion, maxQuestions, readInputAnswer } from '../policy/input-questions.ts'
import {
  assertUseAllowed,
  cannotAsk,
  missingSecretError,
  readSecretAnswer,
  requestedSecretError,
  type SecretQuestionBase,
  secretQuestion,
  secretUseQuestion,
} from '../policy/secret-questions.ts'
import type { OutputStream } from '../process/output-stream.ts'
import { assertDeclared } from '../secrets/assert-declared.ts'
import { CredentialRequiredError } from '../secrets/credential-required-error.ts'
import type { Redactor } from '../secrets/redactor.ts'
import { environmentVault } from '../secrets/vault.ts'
import type { Tool } from '../tool/tool.ts'
import type { InputRequest, SecretRequest, ToolContext } from '../tool/tool-context.ts'
import type { ExecuteToolCallOptions } from './execute-tool-call-options.ts'
import type { ExecutedCall, Execution, ToolServices } from './execution.ts'

/** A vault that still has no value after this many attempts is broken. */
const maxReads = 3

export interface StandaloneSettings
  extends Pick<ExecuteToolCallOptions, 'ask' | 'vault' | 'onOutput' | 'onProgress'> {
  readonly clock: Clock
  readonly redactor: Redactor
  readonly approvalTimeoutMs: number
}

const scope: QuestionScope = { id: 'default', client: null, parent: null, handlers: null }

/** What a tool can do without a runtime. It can run no other tools, and asks only if there is somebody to ask. */
export class StandaloneServices implements ToolServices<ExecutedCall> {
  readonly #tool: Tool
  readonly #params: unknown
  readonly #settings: StandaloneSettings
  readonly #person: AskPerson
  /** Each secret, and each use of one, is asked for once. */
  readonly #asked = new Map<string, Promise<void>>()
  /** End what the tool is waiting for. */
  readonly #stops = new Set<() => void>()
  #execution: Execution<ExecutedCall> | null = null
  #questions = 0
  #reported = false

  constructor(tool: Tool, params: unknown, settings: StandaloneSettings) {
    this.#tool = tool
    this.#params = params
    this.#settings = settings
    const { clock, approvalTimeoutMs, ask } = settings
    this.#person = new AskPerson(clock, approvalTimeoutMs, (message, error) => this.#report(message, error))
    if (ask !== undefined) this.#person.addHandler(ask)
  }

  /** Called before the tool runs. */
  start(execution: Execution<ExecutedCall>): void {
    this.#execution = execution
  }

  /** The tool was stopped, or has ended. */
  stop(): void {
    this.#execution = null
    for (const stop of [...this.#stops]) stop()
  }

  onOutput(_call: ExecutedCall, stream: OutputStream, text: string, offset: number, pending: string): void {
    const { onOutput } = this.#settings
    if (onOutput === undefined) return
    callSafely(onOutput, { stream, text, offset, pending }, (error) => this.#report('onOutput failed', error))
  }

  onProgress(_call: ExecutedCall, progress: Progress): void {
    const { onProgress, redactor } = this.#settings
    if (onProgress === undefined) return
    const bounded = boundProgress(progress, redactor)
    callSafely(onProgress, bounded, (error) => this.#report('onProgress failed', error))
  }

  onHeartbeat(): void {}
  onLate(): void {}
  log(): void {}

  onListenerError(_call: ExecutedCall, error: unknown): void {
    this.#report('an abort listener of the tool threw', error)
  }

  async ask(_call: ExecutedCall, request: InputRequest): Promise<string> {
    const question = inputQuestion(this.#base(), request, this.#settings.redactor)
    return readInputAnswer(question, await this.#ask(question))
  }

  async secret(_call: ExecutedCall, key: string): Promise<string> {
    const { vault = environmentVault(), redactor } = this.#settings
    const { name, secretUse } = this.#tool
    assertDeclared(this.#tool, key)
    for (let reads = 0; reads < maxReads; reads++) {
      const found = await this.#wait(() => vault.read(key, secretUse))
      if (found.kind === 'found') {
        redactor.add(key, found.value)
        return found.value
      }
      if (found.kind === 'missing')
        await this.#once(`value of ${key}`, () =>
          this.#askSecret(missingSecretError(this.#tool, key), secretUse),
        )
      else await this.#once(`use of ${key}`, () => this.#askUse(key, found.uses))
    }
    throw new CurfewError('SECRETS_UNAVAILABLE', `the vault did not return the secret ${key} for ${name}`)
  }

  async requestSecret(_call: ExecutedCall, { key, tool: toolName }: SecretRequest): Promise<void> {
    const { name, secrets, secretUse } = this.#tool
    if (this.#settings.ask === undefined)
      throw new CurfewError('DENIED', `nobody is available to enter the secret ${key}`)
    if (toolName !== undefined && toolName !== name) throw this.#noOtherTools()
    if (toolName !== undefined) assertDeclared(this.#tool, key)
    await this.#askSecret(requestedSecretError(key), secrets.includes(key) ? secretUse : null)
  }

  conversation(): never {
    throw new CurfewError(
      'INVALID_OPTION',
      `${this.#tool.name} runs without a runtime and has no conversations; use createRuntime`,
    )
  }

  async detach(): Promise<number> {
    const message = `${this.#tool.name} runs without a runtime and cannot continue in the background; use createRuntime`
    throw new CurfewError('INVALID_OPTION', message)
  }

  run(_call: ExecutedCall, _context: ToolContext, execute: () => unknown): unknown {
    return execute()
  }

  async execute(): Promise<CallResult[]> {
    throw this.#noOtherTools()
  }

  async #askSecret(error: CredentialRequiredError, use: string | null): Promise<void> {
    const { vault, redactor } = this.#settings
    const { key } = error
    if (vault === undefined)
      throw new CredentialRequiredError(
        `${error.message}; set it in the environment, or pass \`vault\``,
        error,
      )
    if (!vault.canStore) throw cannotAsk(error, use, 'the vault cannot store secrets')
    const outcome = await this.#ask(secretQuestion(this.#base(), error, use, redactor))
    const value = readSecretAnswer(error, use, outcome)
    redactor.add(key, value)
    await this.#wait(() => vault.store(key, value, use))
  }

  async #askUse(key: string, uses: readonly string[]): Promise<void> {
    const { secretUse } = this.#tool
    const question = secretUseQuestion(this.#base(), key, secretUse, uses)
    assertUseAllowed(question, await this.#ask(question))
    await this.#wait(() => this.#settings.vault!.allow(key, secretUse))
  }

  async #once(name: string, ask: () => Promise<void>): Promise<void> {
    const asked = this.#asked.get(name) ?? ask()
    this.#asked.set(name, asked)
    await asked
  }

  #base(): SecretQuestionBase {
    const { redactor } = this.#settings
    const params = redactor.data(copyValidated(this.#params))
    return { ...this.#person.identify(scope), callUid: 0, callId: '', tool: this.#tool.name, params }
  }

  async #ask(question: Question): Promise<AskOutcome> {
    if (++this.#questions > maxQuestions) {
      throw new CurfewError('LIMIT_EXCEEDED', `${this.#tool.name} asked more than ${maxQuestions} questions`)
    }
    let withdraw = (): void => {}
    const ask = (): Promise<AskOutcome> =>
      new Promise((resolve) => {
        withdraw = this.#person.ask(question, scope, resolve)
      })
    return await this.#wait(ask, () => withdraw())
  }

  /** Waits with the clock paused, until the tool is stopped. A vault may have to ask a person too. */
  async #wait<T>(start: () => Promise<T>, withdraw: () => void = () => {}): Promise<T> {
    const { clock, approvalTimeoutMs } = this.#settings
    const { timer } = this.#assertRunning()
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const end = (error: CurfewError): void => {
      reject(error)
      withdraw()
    }
    const stop = (): void => end(this.#stoppedError())
    const expiry = clock.setTimer(approvalTimeoutMs + 1_000, () => {
      const message = `${this.#tool.name} requires a secret, and the vault did not respond`
      end(new CurfewError('SECRETS_UNAVAILABLE', message))
    })
    this.#stops.add(stop)
    timer.pause()
    try {
      return await Promise.race([start(), ended])
    } finally {
      timer.resume()
      this.#stops.delete(stop)
      clock.clearTimer(expiry)
    }
  }

  #assertRunning(): Execution<ExecutedCall> {
    if (this.#execution === null) throw this.#stoppedError()
    return this.#execution
  }

  #stoppedError(): CurfewError {
    return new CurfewError('CANCELLED', `${this.#tool.name} was stopped and can neither ask nor read secrets`)
  }

  #noOtherTools(): CurfewError {
    const message = `${this.#tool.name} runs without a runtime and cannot call other tools; use createRuntime`
    return new CurfewError('TOOL_NOT_FOUND', message)
  }

  /** Only the first error, because a callback may fail for every chunk. */
  #report(message: string, error: unknown): void {
    if (this.#reported) return
    this.#reported = true
    const { redactor } = this.#settings
    logToStderr({ level: 'error', message: `${this.#tool.name}: ${message}`, error: redactor.error(error) })
  }
}
