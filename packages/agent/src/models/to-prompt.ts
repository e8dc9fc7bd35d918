import type {
  LanguageModelV4,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { modelText } from '@curfew/core/internal'
import type {
  AssistantItem,
  AssistantPart,
  HistoryItem,
  HistoryResult,
  UserPart,
} from '../history/history-item.ts'
import { cacheMarker } from './cache-marker.ts'
import { CallIds } from './call-ids.ts'
import { nameOfModel, type WireFormat, wireFormatOf } from './name-of-model.ts'
import { resultFiles, toUserPart } from './prompt-files.ts'
import { wellFormed } from './well-formed.ts'
import type { WireNames } from './wire-names.ts'

export interface PromptOptions {
  /** The model that the prompt is for. */
  readonly model: Pick<LanguageModelV4, 'provider' | 'modelId'>
  readonly system?: string | undefined
  /** As returned by `toTools`. */
  readonly names: WireNames
}

type Message<Role> = Extract<LanguageModelV4Message, { role: Role }>
type AssistantContent = Message<'assistant'>['content']

/**
 * The history as a prompt that the provider does not reject, whatever happened to the conversation: every call has one result directly
 * after it, ids are unique, nothing is empty, and it starts and ends with what a person or a tool said.
 */
export function toPrompt(items: readonly HistoryItem[], options: PromptOptions): LanguageModelV4Prompt {
  const prompt = new PromptBuilder(options)
  items.forEach((item, index) => {
    if (item.type === 'user') prompt.addUser(item.parts)
    else if (item.type === 'assistant') prompt.addAssistant(item, resultsAfter(items, index))
  })
  return prompt.finish()
}

/** The results before the next response. Something that a person sent may be in between. */
function resultsAfter(items: readonly HistoryItem[], index: number): HistoryResult[] {
  const results: HistoryResult[] = []
  for (let next = index + 1; next < items.length; next++) {
    const item = items[next]!
    if (item.type === 'assistant') break
    if (item.type === 'results') results.push(...item.results)
  }
  return results
}

class PromptBuilder {
  readonly #model: string
  readonly #format: WireFormat
  readonly #names: WireNames
  readonly #system: string
  readonly #messages: Exclude<LanguageModelV4Message, { role: 'system' }>[] = []
  readonly #ids = new CallIds()

  constructor({ model, system = '', names }: PromptOptions) {
    this.#model = nameOfModel(model)
    this.#format = wireFormatOf(model)
    this.#names = names
    this.#system = modelText(system)
  }

  addUser(parts: readonly UserPart[]): void {
    const content = parts.map((part) => toUserPart(part, this.#format)).filter((part) => part !== null)
    if (content.length === 0) return
    const last = this.#messages.at(-1)
    // Some chat templates require alternating roles.
    if (last?.role === 'user') last.content.push(...content)
    else this.#messages.push({ role: 'user', content })
  }

  addAssistant(item: AssistantItem, results: readonly HistoryResult[]): void {
    const isSameModel = item.model === this.#model
    const content: AssistantContent = []
    const toolResults: LanguageModelV4ToolResultPart[] = []
    const remaining = [...results]
    for (const part of item.parts) {
      const converted = this.#toContent(part, isSameModel)
      if (converted === null) continue
      content.push(converted)
      if (part.type !== 'call' || converted.type !== 'tool-call') continue
      const index = remaining.findIndex((result) => result.callId === part.callId)
      const [result = lost] = index < 0 ? [] : remaining.splice(index, 1)
      const { toolCallId, toolName } = converted
      const output = toOutput(result, this.#format)
      toolResults.push({ type: 'tool-result', toolCallId, toolName, output })
    }
    // Anthropic rejects reasoning at the end, and its package drops reasoning without a signature.
    while (content.at(-1)?.type === 'reasoning') content.pop()
    if (!content.some((part) => part.type === 'tool-call' || (part.type === 'text' && part.text !== '')))
      return
    this.#pushAssistant(content)
    if (toolResults.length > 0) this.#messages.push({ role: 'tool', content: toolResults })
  }

  #pushAssistant(content: AssistantContent): void {
    const last = this.#messages.at(-1)
    if (last === undefined)
      this.#messages.push({ role: 'user', content: [{ type: 'text', text: noBeginning }] })
    if (last?.role === 'assistant') last.content.push(...content)
    else this.#messages.push({ role: 'assistant', content })
  }

  #toContent(part: AssistantPart, isSameModel: boolean): AssistantContent[number] | null {
    // Signatures are valid only for the model that produced them.
    const metadata = isSameModel ? part.metadata : undefined
    const providerOptions =
      metadata === undefined ? {} : { providerOptions: wellFormed(metadata) as typeof metadata }
    if (part.type === 'call')
      return {
        type: 'tool-call',
        toolCallId: this.#ids.next(part.callId),
        toolName: this.#names.toWire(part.name),
        input: toInput(part.input),
        ...providerOptions,
      }
    if (part.type === 'reasoning') {
      // A broken character cannot be repaired, because a signature covers the text.
      if (!isSameModel || !part.text.isWellFormed()) return null
      return { type: 'reasoning', text: part.text, ...providerOptions }
    }
    const isEmpty = part.text.trim() === ''
    if (isEmpty && (metadata === undefined || this.#format !== 'google')) return null
    return { type: 'text', text: modelText(part.text), ...providerOptions }
  }

  finish(): LanguageModelV4Prompt {
    const messages: LanguageModelV4Message[] = this.#messages
    const last = messages.at(-1)?.role
    if (last === undefined || last === 'assistant')
      messages.push({ role: 'user', content: [{ type: 'text', text: 'Continue.' }] })
    if (this.#system.trim() !== '') messages.unshift({ role: 'system', content: this.#system })
    if (this.#format === 'anthropic') markForCache(messages)
    return messages
  }
}

const noBeginning = '[The beginning of this conversation was removed.]'

const lost: Pick<HistoryResult, 'status' | 'content'> = {
  status: 'error',
  content: 'lost: the result of this call was not recorded',
}

/** All providers require an object. What is not one was rejected by the runtime, so only the model itself needs to recognize it. */
function toInput(input: unknown): unknown {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return wellFormed(isObject ? input : { input })
}

/**
 * `error-text` also for denied calls: of `execution-denied`, Anthropic's package sends only the reason, without `is_error`; the other two
 * send the same for both.
 */
function toOutput(
  { status, content, parts = [] }: Pick<HistoryResult, 'status' | 'content' | 'parts'>,
  format: WireFormat,
): LanguageModelV4ToolResultPart['output'] {
  const text = content.trim() === '' ? '(no output)' : modelText(content)
  if (status !== 'success') return { type: 'error-text', value: text }
  const files = resultFiles(parts, format)
  if (files.length === 0) return { type: 'text', value: text }
  return { type: 'content', value: [{ type: 'text', text }, ...files] }
}

/** With the marker on the last tool, four: the system prompt, and the last two messages, of which one was the end of the previous request. */
function markForCache(messages: readonly LanguageModelV4Message[]): void {
  const system = messages.filter(({ role }) => role === 'system')
  const recent = messages.filter(({ role }) => role === 'user' || role === 'tool').slice(-2)
  for (const message of [...system, ...recent]) message.providerOptions = cacheMarker
}
