import { copyValidated } from '../call/copy-params.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import type { AskOutcome, AskPerson } from '../policy/ask-person.ts'
import { maxCredentialRounds } from '../policy/credential-rounds.ts'
import {
  assertUseAllowed,
  cannotAsk,
  DeclinedError,
  missingSecretError,
  readSecretAnswer,
  requestedSecretError,
  type SecretQuestionBase,
  secretQuestion,
  secretUseQuestion,
} from '../policy/secret-questions.ts'
import { assertDeclared } from '../secrets/assert-declared.ts'
import type { CredentialRequiredError } from '../secrets/credential-required-error.ts'
import { storeSecretCommand } from '../secrets/describe-use.ts'
import type { Call } from '../store/call.ts'
import type { SecretRequest } from '../tool/tool-context.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { type SecretPrompt, SharedQuestions } from './shared-questions.ts'

/** Other calls may replace the key as well, so the retries of one call are limited. */
const maxHeals = 4

/** A vault that still has no value after this many attempts is broken. */
const maxReads = 5

/** All keys that no tool declares are counted as one, so that a model cannot prompt for one after another. */
const undeclaredKey = ''

/**
 * Provides tools with their secrets. If one is missing or was rejected, a person is asked for it, with masked input; the value
 * goes to the vault and the redactor, and nowhere else.
 */
export class Credentials {
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #person: AskPerson
  readonly #questions: SharedQuestions
  /** The value of `#replacements` when each secret was last replaced: a call that failed with an older value need not ask. */
  readonly #replacedAt = new Map<string, number>()
  #replacements = 0

  constructor(
    settings: RuntimeSettings,
    tools: ToolRegistry,
    person: AskPerson,
    pause: (call: Call) => () => void,
  ) {
    this.#settings = settings
    this.#tools = tools
    this.#person = person
    this.#questions = new SharedQuestions(settings, person, pause)
  }

  /** The number of secrets that have been replaced so far. */
  get replacements(): number {
    return this.#replacements
  }

  /** For `context.secret`. Asks for the value if there is none yet. */
  async read(call: Call, key: string): Promise<string> {
    const { vault, redactor } = this.#settings
    const tool = call.tool!
    assertDeclared(tool, key)
    for (let reads = 0; reads < maxReads; reads++) {
      const seen = this.#replacements
      const found = await this.#questions.waitFor(call, vault.read(key, tool.secretUse))
      if (found.kind === 'found') {
        redactor.add(key, found.value)
        call.secretsRead = (call.secretsRead ?? new Map()).set(key, seen)
        return found.value
      }
      if (found.kind === 'missing')
        await this.#ask(call, missingSecretError(tool, key), key, tool.name, tool.secretUse)
      else await this.#askUse(call, key, found.uses)
    }
    throw new CurfewError(
      'SECRETS_UNAVAILABLE',
      `the vault did not return the secret ${key} for ${tool.name}`,
    )
  }

  /** Called when a key is missing or rejected: resolves if the call may be retried, otherwise rejects with its error. */
  async heal(call: Call, error: CredentialRequiredError): Promise<void> {
    const tool = call.tool!
    const { key } = error
    if (!tool.secrets.includes(key)) throw error
    const seen = call.secretsRead?.get(key) ?? call.replacementsAtStart
    const replacedMeanwhile = (this.#replacedAt.get(key) ?? 0) > seen
    if (!replacedMeanwhile) await this.#ask(call, error, key, tool.name, tool.secretUse)
    // The retry counts as having read the new value, even if it does not read it.
    call.secretsRead?.delete(key)
    if (++call.heals > maxHeals) throw error
    if (error.retrySafe || tool.idempotent || tool.readOnly) return
    throw new CurfewError(
      'CREDENTIAL_REQUIRED',
      `${error.message}. The secret ${key} has been replaced since. ${tool.name} was not retried, because it may have had effects: check what it did, then call it again`,
      { field: key },
    )
  }

  /** For `store_secret`. Asks for a key on behalf of the tool that requires it. */
  async request(call: Call, { key, tool: toolName }: SecretRequest): Promise<void> {
    const tool = toolName === undefined ? undefined : this.#tools.get(toolName)
    if (toolName !== undefined && tool === undefined)
      throw new CurfewError('TOOL_NOT_FOUND', this.#tools.notFound(toolName), { field: 'tool' })
    if (tool !== undefined) assertDeclared(tool, key)
    const uses = new Set(
      (tool === undefined ? this.#tools.withSecret(key) : [tool]).map(({ secretUse }) => secretUse),
    )
    const [use = null] = uses.size === 1 ? uses : []
    const counted = uses.size === 0 ? undeclaredKey : key
    await this.#ask(call, requestedSecretError(key, call.batch.typed), counted, null, use)
  }

  /** `counted` is the key that the prompt is counted for; `tool` is `null` if the model or a person asks. */
  async #ask(
    call: Call,
    error: CredentialRequiredError,
    counted: string,
    tool: string | null,
    use: string | null,
  ): Promise<void> {
    const { key } = error
    if (!this.#settings.vault.canStore) throw cannotAsk(error, use, 'the vault cannot store secrets')
    const name = `${key} ${use}`
    const { rounds, denials } = call.batch.turn.root
    const declined = denials.get(name) ?? denials.get(useQuestionName(key, use))
    if (declined instanceof DeclinedError) throw declined
    const askedFor = this.#questions.askedFor(call, name)
    if (askedFor === null && rounds.isSpent(counted, tool)) {
      const secrets = counted === undeclaredKey ? 'secrets that no tool declares' : key
      const message = `${error.message}. This turn has asked for ${secrets} ${maxCredentialRounds} times; do not retry. A person can store it: ${storeSecretCommand(key, use)}`
      throw new CurfewError('CREDENTIAL_REQUIRED', message, { field: key })
    }
    if (!askedFor?.has(tool)) rounds.add(counted, tool)
    try {
      await this.#questions.join(call, name, tool, () => this.#askSecret(call, error, tool, use))
    } catch (thrown) {
      if (thrown instanceof DeclinedError) denials.set(name, thrown)
      throw thrown
    }
  }

  #askSecret(
    call: Call,
    error: CredentialRequiredError,
    tool: string | null,
    use: string | null,
  ): SecretPrompt {
    const isTyped = tool === null && call.batch.typed
    const question = secretQuestion(this.#base(call), error, use, this.#settings.redactor, isTyped)
    const { outcome, withdraw } = this.#questions.ask(call, question)
    return { answer: outcome.then((answered) => this.#storeAnswer(error, use, answered)), withdraw }
  }

  async #storeAnswer(error: CredentialRequiredError, use: string | null, outcome: AskOutcome): Promise<void> {
    const { vault, redactor } = this.#settings
    const { key } = error
    const value = readSecretAnswer(error, use, outcome)
    redactor.add(key, value)
    await vault.store(key, value, use)
    this.#replacedAt.set(key, ++this.#replacements)
  }

  /** Asks whether a secret that was stored for another use may be used here. A no applies for the whole turn. */
  async #askUse(call: Call, key: string, uses: readonly string[]): Promise<void> {
    const { denials } = call.batch.turn.root
    const name = useQuestionName(key, call.tool!.secretUse)
    const denied = denials.get(name)
    if (denied !== undefined) throw denied
    await this.#questions.join(call, name, call.name, () => this.#askSecretUse(call, key, uses, name))
  }

  #askSecretUse(call: Call, key: string, uses: readonly string[], name: string): SecretPrompt {
    const use = call.tool!.secretUse
    const question = secretUseQuestion(this.#base(call), key, use, uses)
    const { outcome, withdraw } = this.#questions.ask(call, question)
    const decide = async (answered: AskOutcome): Promise<void> => {
      try {
        assertUseAllowed(question, answered)
      } catch (error) {
        call.batch.turn.root.denials.set(name, error as CurfewError)
        throw error
      }
      await this.#settings.vault.allow(key, use)
    }
    return { answer: outcome.then(decide), withdraw }
  }

  #base({ uid, callId, name, params, batch }: Call): SecretQuestionBase {
    const identity = this.#person.identify(batch.turn.conversation)
    return {
      ...identity,
      callUid: uid,
      callId,
      tool: name,
      params: this.#settings.redactor.data(copyValidated(params)),
    }
  }
}

function useQuestionName(key: string, use: string | null): string {
  return `use of ${key} by ${use}`
}
