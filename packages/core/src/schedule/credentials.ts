import type { Call } from '../call/call.ts'
import { copyValidated } from '../call/copy-params.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { AskOutcome, AskPerson } from '../policy/ask-person.ts'
import { maxCredentialRounds } from '../policy/credential-rounds.ts'
import type { SecretQuestion, SecretUseQuestion } from '../policy/question.ts'
import type { RuntimeSettings } from '../runtime/runtime-options.ts'
import { assertDeclared } from '../secrets/assert-declared.ts'
import { CredentialRequiredError } from '../secrets/credential-required-error.ts'
import { describeUse, howToStore } from '../secrets/describe-use.ts'
import { shortestSecret } from '../secrets/secret-name.ts'
import type { SecretRequest } from '../tool/tool-context.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { type Asked, SharedQuestions } from './shared-questions.ts'

/** Others may replace the key too while a call is under way, but not for ever. */
const maxHeals = 4

/** A vault that still has nothing after what was asked and stored is broken. */
const maxLooks = 5

/** Of what a tool or a server says, in a question. */
const maxReasonLength = 300

/** What a model asks for that no tool declares is counted as one key, whatever it is called. */
const undeclaredKey = ''

/**
 * Gets tools their secrets. Where one is missing or was refused, a person is asked for it, with masked input; what they
 * type goes to the vault and to the redactor, and nowhere else.
 */
export class Credentials {
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #questions: SharedQuestions
  /** When each secret was last replaced, counted in replacements: a call that failed with an older one need not ask. */
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
    this.#questions = new SharedQuestions(settings, person, pause)
  }

  /** How many secrets have been replaced so far. */
  get replacements(): number {
    return this.#replacements
  }

  /** `context.secret`: the value, asked for in place if there is none yet. */
  async read(call: Call, key: string): Promise<string> {
    const { vault, redactor } = this.#settings
    const tool = call.tool!
    assertDeclared(tool, key)
    for (let looks = 0; looks < maxLooks; looks++) {
      const seen = this.#replacements
      const found = await this.#questions.waitFor(call, vault.read(key, tool.secretUse))
      if (found.kind === 'found') {
        redactor.add(key, found.value)
        call.secretsRead = (call.secretsRead ?? new Map()).set(key, seen)
        return found.value
      }
      if (found.kind === 'missing') {
        const who = tool.server === undefined ? tool.name : `the MCP server ${tool.server}`
        const message = `${who} needs the secret ${key}`
        const error = new CredentialRequiredError(message, { key, why: 'missing', safeToRepeat: true })
        await this.#ask(call, error, key, tool.name, tool.secretUse)
      } else await this.#askUse(call, key, found.uses)
    }
    throw new CurfewError('SECRETS_UNAVAILABLE', `the vault does not give ${tool.name} the secret ${key}`)
  }

  /** After a call failed for want of a valid key: resolves if it may be run again, rejects with what to report otherwise. */
  async heal(call: Call, error: CredentialRequiredError): Promise<void> {
    const tool = call.tool!
    const { key } = error
    if (!tool.secrets.includes(key)) throw error
    const seen = call.secretsRead?.get(key) ?? call.replacementsAtStart
    const replacedMeanwhile = (this.#replacedAt.get(key) ?? 0) > seen
    if (!replacedMeanwhile) await this.#ask(call, error, key, tool.name, tool.secretUse)
    // It may never read it again; what counts is that it had the chance to.
    call.secretsRead?.delete(key)
    if (++call.heals > maxHeals) throw error
    if (error.safeToRepeat || tool.idempotent || tool.readOnly) return
    throw new CurfewError(
      'CREDENTIAL_REQUIRED',
      `${error.message}. The secret ${key} has been replaced since. ${tool.name} was not run again, as it may have had effects: check what it did, then call it again`,
      { field: key },
    )
  }

  /** `store_secret`: asks for a key on behalf of the tool that lacks it. */
  async request(call: Call, { key, tool: toolName }: SecretRequest): Promise<void> {
    const tool = toolName === undefined ? undefined : this.#tools.get(toolName)
    if (toolName !== undefined && tool === undefined)
      throw new CurfewError('TOOL_NOT_FOUND', this.#tools.notFound(toolName), { field: 'tool' })
    if (tool !== undefined) assertDeclared(tool, key)
    const error = new CredentialRequiredError(`the model asked for the secret ${key}`, {
      key,
      why: 'missing',
      safeToRepeat: true,
    })
    const uses = new Set(
      (tool === undefined ? this.#tools.withSecret(key) : [tool]).map(({ secretUse }) => secretUse),
    )
    const [use = null] = uses.size === 1 ? uses : []
    await this.#ask(call, error, uses.size === 0 ? undeclaredKey : key, null, use)
  }

  /** `counted` is the key that the round is counted for, `tool` the one that fails; `null` if the model asks. */
  async #ask(
    call: Call,
    error: CredentialRequiredError,
    counted: string,
    tool: string | null,
    use: string | null,
  ): Promise<void> {
    const { key } = error
    if (!this.#settings.vault.canStore) throw unattendedBridge(error, use, 'nothing can be stored here')
    const name = `${key} ${use}`
    const { rounds, refusals } = call.batch.turn
    const declined = refusals.get(name) ?? refusals.get(nameOfUse(key, use))
    if (declined instanceof DeclinedError) throw declined
    const askedFor = this.#questions.askedFor(name)
    if (askedFor === null && rounds.isSpent(counted, tool)) {
      const what = counted === undeclaredKey ? 'secrets that no tool declares' : key
      const message = `${error.message}. This turn has asked for ${what} ${maxCredentialRounds} times; do not try again. A person can store it: ${howToStore(key, use)}`
      throw new CurfewError('CREDENTIAL_REQUIRED', message, { field: key })
    }
    if (!askedFor?.has(tool)) rounds.add(counted, tool)
    try {
      await this.#questions.join(call, name, tool, () => this.#putQuestion(call, error, use))
    } catch (thrown) {
      if (thrown instanceof DeclinedError) refusals.set(name, thrown)
      throw thrown
    }
  }

  #putQuestion(call: Call, error: CredentialRequiredError, use: string | null): Asked {
    const { redactor } = this.#settings
    const { key, why, message } = error
    const question: SecretQuestion = {
      kind: 'secret',
      ...this.#about(call),
      message: `${shortened(redactor.text(message))}. Enter ${key} for ${use === null ? 'whichever tool uses it first' : describeUse(use)}:`,
      key,
      use,
      why,
    }
    const { outcome, withdraw } = this.#questions.put(question)
    return { answer: outcome.then((given) => this.#keep(error, use, given)), withdraw }
  }

  async #keep(error: CredentialRequiredError, use: string | null, outcome: AskOutcome): Promise<void> {
    const { vault, redactor } = this.#settings
    const { key } = error
    if (outcome.kind !== 'answered') {
      const why = outcome.kind === 'nobody' ? 'there is nobody to ask' : 'nobody answered in time'
      throw unattendedBridge(error, use, why)
    }
    const value: unknown = Object(outcome.answer).secret
    if (typeof value !== 'string' || value.length < shortestSecret) {
      const message = `${error.message}, and the person did not give it; do not try again`
      throw new DeclinedError('CREDENTIAL_REQUIRED', message, { field: key })
    }
    redactor.add(key, value)
    await vault.store(key, value, use)
    this.#replacedAt.set(key, ++this.#replacements)
  }

  /** A secret that was stored for something else. A no holds for the turn. */
  async #askUse(call: Call, key: string, uses: readonly string[]): Promise<void> {
    const { refusals } = call.batch.turn
    const name = nameOfUse(key, call.tool!.secretUse)
    const refused = refusals.get(name)
    if (refused !== undefined) throw refused
    await this.#questions.join(call, name, call.name, () => this.#putUseQuestion(call, key, uses, name))
  }

  #putUseQuestion(call: Call, key: string, uses: readonly string[], name: string): Asked {
    const use = call.tool!.secretUse
    const known = uses.map(describeUse).join(', ')
    const question: SecretUseQuestion = {
      kind: 'secret-use',
      ...this.#about(call),
      message: `May ${describeUse(use)} get the secret ${key}? It was stored for ${known}.`,
      key,
      use,
      uses,
    }
    const { outcome, withdraw } = this.#questions.put(question)
    const decide = async (given: AskOutcome): Promise<void> => {
      const answer = given.kind === 'answered' ? given.answer : undefined
      if (answer === 'always' || Object(answer).answer === 'always')
        return await this.#settings.vault.allow(key, use)
      const told = given.kind === 'answered' ? 'the person said no' : 'there is nobody to ask'
      const message = `${call.name} may not use the secret ${key}: it was stored for ${known}, and ${told}. To allow it: ${howToStore(key, use)}`
      const Refusal = given.kind === 'answered' ? DeclinedError : CurfewError
      const refusal = new Refusal('DENIED', message, { field: key })
      call.batch.turn.refusals.set(name, refusal)
      throw refusal
    }
    return { answer: outcome.then(decide), withdraw }
  }

  #about({
    uid,
    callId,
    name,
    params,
  }: Call): Pick<SecretQuestion, 'callUid' | 'callId' | 'tool' | 'params'> {
    return { callUid: uid, callId, tool: name, params: this.#settings.redactor.data(copyValidated(params)) }
  }
}

/** A person was asked for a key, or whether one may be used, and said no: that holds for the turn. */
class DeclinedError extends CurfewError {}

function nameOfUse(key: string, use: string | null): string {
  return `use of ${key} by ${use}`
}

function unattendedBridge(
  error: CredentialRequiredError,
  use: string | null,
  why: string,
): CredentialRequiredError {
  const hint = `${error.message}; ${why}. A person can store it: ${howToStore(error.key, use)}`
  return new CredentialRequiredError(hint, error)
}

/** What refused the key may have sent a whole page. */
function shortened(message: string): string {
  const line = message.replace(/\s+/g, ' ')
  return line.length > maxReasonLength ? `${line.slice(0, maxReasonLength)}...` : line
}
