import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type Agent, nameOfModel } from '@curfew/agent'
import { CurfewError } from '@curfew/core'

interface ChildModelSource {
  readonly agent: Agent
  open(name: string): Promise<LanguageModelV4>
}

/** The models of an agent and of those inside of it. Tools are registered before the agent exists. */
export class ChildModels {
  /** By `provider:name`. */
  readonly #opened = new Map<string, LanguageModelV4>()
  #source: ChildModelSource | null = null

  /** From now on, children can run. */
  attach(source: ChildModelSource): void {
    this.#source = source
  }

  add(model: LanguageModelV4): LanguageModelV4 {
    this.#opened.set(nameOfModel(model), model)
    return model
  }

  /** The model that the agent uses now. */
  readonly model = (): LanguageModelV4 => {
    const name = this.#source?.agent.getSnapshot().model ?? 'none'
    const model = this.#opened.get(name)
    if (model === undefined) throw new CurfewError('TOOL_FAILED', `the model ${name} is not open`)
    return model
  }

  readonly openModel = async (name: string): Promise<LanguageModelV4> => {
    const known = this.#opened.get(name)
    if (known !== undefined) return known
    if (this.#source === null) throw new CurfewError('TOOL_FAILED', 'the agent is not open yet')
    return this.add(await this.#source.open(name))
  }
}
