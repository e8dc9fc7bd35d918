import type { Call, Setup } from '../../src/adapter/adapter.ts'
import { askModel } from './ask-model.ts'
import { History } from './history.ts'
import { isMutant } from './mutation.ts'
import type { Runtime } from './runtime.ts'

/** As often as this, the same calls may be repeated in one turn. */
const maxRepetitions = 5

/** A conversation with a model, whose turns end. */
export class Conversation {
  readonly #setup: Setup
  readonly #runtime: Runtime
  readonly #history: History
  readonly #ids = new Set<string>()

  constructor(setup: Setup, runtime: Runtime) {
    this.#setup = setup
    this.#runtime = runtime
    this.#history = new History(setup.folder, setup.resume)
    for (const message of this.#history.messages)
      if (message.role === 'assistant') for (const { id } of message.calls) this.#ids.add(id)
  }

  async prompt(text: string, signal: AbortSignal): Promise<string> {
    const history = this.#history
    if (isMutant('runs-interrupted-calls-again')) this.#runAgain(signal)
    history.addPrompt(text)
    try {
      return await this.#turn(signal)
    } finally {
      history.endTurn(signal.aborted ? '(The user cancelled the turn.)' : '(The turn was ended.)')
    }
  }

  async #turn(signal: AbortSignal): Promise<string> {
    const { maxCalls, model } = this.#setup
    const past: string[] = []
    let count = 0
    for (;;) {
      if (isMutant('saves-half-a-response')) this.#history.saveStart()
      const response = await askModel(model!, this.#history.messages, this.#offered, signal)
      const calls = response.calls.map((call) => ({
        ...call,
        id: this.#toUniqueId(call.id),
        name: call.name || 'unnamed',
      }))
      if (calls.length === 0) {
        this.#history.addResponse(response.text || '(no answer)', [])
        return response.text
      }
      past.push(calls.map(({ name, params }) => `${name} ${params}`).join('\n'))
      count += calls.length
      const problem =
        findLoop(past) ??
        (maxCalls !== null && count > maxCalls && !isMutant('no-call-limit')
          ? `more than ${maxCalls} calls`
          : null)
      const onResult = this.#history.addResponse(response.text, calls)
      if (problem !== null) {
        for (const [index, { id }] of calls.entries())
          onResult(index, { id, text: `Error: it did not run: ${problem}`, isError: true })
        throw new Error(`the turn was ended: ${problem}`)
      }
      await this.#run(calls, signal, onResult)
      signal.throwIfAborted()
    }
  }

  async #run(
    calls: readonly Call[],
    signal: AbortSignal,
    onResult: Parameters<Runtime['run']>[2],
  ): Promise<void> {
    const names = new Map(this.#runtime.targets.map(({ name }) => [toOffered(name), name]))
    await this.#runtime.run(
      calls.map((call) => ({ ...call, name: names.get(call.name) ?? call.name })),
      signal,
      onResult,
    )
  }

  get #offered() {
    return this.#runtime.targets.map(({ name, description, parameters }) => ({
      name: toOffered(name),
      description,
      parameters,
    }))
  }

  /** Local models repeat ids, or write none. */
  #toUniqueId(id: string): string {
    const isUsable = /^[\w-]{1,40}$/.test(id) && !this.#ids.has(id)
    const unique = isUsable || isMutant('trusts-ids') ? id : `unique_${this.#ids.size}`
    this.#ids.add(unique)
    return unique
  }

  #runAgain(signal: AbortSignal): void {
    for (const message of this.#history.messages)
      if (message.role === 'assistant') void this.#run(message.calls, signal, () => {})
  }
}

/** Providers allow no slash. */
function toOffered(name: string): string {
  return name.replaceAll('/', '__')
}

/** Whether the last responses repeat one, or alternate between up to three. */
function findLoop(past: readonly string[]): string | null {
  if (isMutant('no-loop-detection')) return null
  const periods = isMutant('detects-only-equal-calls') ? [1] : [1, 2, 3]
  const repeats = (period: number): boolean => {
    const last = past.slice(-period * maxRepetitions)
    return (
      last.length === period * maxRepetitions &&
      last.every((calls, index) => index < period || calls === last[index - period])
    )
  }
  return periods.some(repeats) ? 'the same calls were repeated too often' : null
}
