import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Conversation, ToolView } from '@curfew/core'
import type { HistoryItem } from '../history/history-item.ts'
import type { ModelRequest } from '../models/stream-model.ts'
import { toPrompt } from '../models/to-prompt.ts'
import { toTools } from '../models/to-tools.ts'
import type { WireNames } from '../models/wire-names.ts'
import { estimateText, estimateTools } from './estimate-tokens.ts'

export interface BuiltRequest {
  readonly request: ModelRequest
  readonly names: WireNames
}

const stubInstructions =
  'Some tools are listed by name only; search_tools returns their descriptions and parameters, and so does a call without arguments.'

/** Builds the requests of a conversation. Each begins with the bytes of the one before it, so that prompt caches stay valid. */
export class RequestBuilder {
  readonly #conversation: Conversation
  #system = ''

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  setSystem(system: string): void {
    this.#system = system
  }

  build(model: LanguageModelV4, items: readonly HistoryItem[], toolChoice: 'auto' | 'none'): BuiltRequest {
    const { tools, names } = toTools(this.#conversation.listTools(), model)
    const prompt = toPrompt(items, { model, system: this.#systemPrompt(), names })
    return { request: { prompt, tools, toolChoice: { type: toolChoice } }, names }
  }

  /** The estimated tokens of what every request contains: the system prompt and the tools. */
  fixedTokens(): number {
    return estimateText(this.#systemPrompt()) + this.#toolTokens()
  }

  #systemPrompt(): string {
    if (this.#conversation.view !== 'stub') return this.#system
    return [this.#system, stubInstructions].filter((text) => text !== '').join('\n\n')
  }

  /** The tools of the last estimate: a list of the same length and names is the same list. */
  #toolTokens(): number {
    const tools = this.#conversation.listTools()
    if (!isSameList(tools, this.#estimated.tools))
      this.#estimated = { tools, tokens: Math.round(estimateTools(tools)) }
    return this.#estimated.tokens
  }

  #estimated: { readonly tools: readonly ToolView[]; readonly tokens: number } = { tools: [], tokens: 0 }
}

function isSameList(one: readonly ToolView[], other: readonly ToolView[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, parameters }, index) => {
      const same = other[index]!
      return name === same.name && parameters === same.parameters
    })
  )
}
