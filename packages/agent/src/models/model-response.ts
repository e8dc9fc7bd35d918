import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { attempt, copySlice, isTooDeep, parseJson } from '@curfew/core/internal'
import type { AssistantPart } from '../history/history-item.ts'
import { failure, ModelError, type ModelUsage } from './model-error.ts'
import type { ResolvedModelLimits } from './model-limits.ts'

export type ContentEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'call'
      readonly callId: string
      readonly name: string
      /** The parsed JSON, or the string itself if it is not JSON. */
      readonly input: unknown
    }

/** What each part counts besides its characters, so that empty ones cannot fill the memory either. */
const partOverhead = 16

export type FinishReason = LanguageModelV4FinishReason['unified']

interface OpenPart {
  readonly type: 'text' | 'reasoning'
  text: string
  metadata: SharedV4ProviderMetadata | undefined
}

/** Collects the parts of one response. They come from a provider's package, and nothing about them is taken for granted. */
export class ModelResponse {
  readonly #model: string
  readonly #limits: ResolvedModelLimits
  readonly #parts: (OpenPart | Extract<AssistantPart, { type: 'call' }>)[] = []
  /** Text and reasoning that have not ended, by id. */
  readonly #open = { text: new Map<string, OpenPart>(), reasoning: new Map<string, OpenPart>() }
  /** The length of each call's input while it is received. */
  readonly #inputs = new Map<string, number>()
  #characters = 0
  #calls = 0
  usage: ModelUsage | null = null
  finishReason: { readonly unified: FinishReason; readonly raw: string | null } | null = null

  constructor(model: string, limits: ResolvedModelLimits) {
    this.#model = model
    this.#limits = limits
  }

  /** Adds a part of the stream. Throws if the response is too large or unusable. */
  add(part: Readonly<Record<string, unknown>>): ContentEvent | null {
    switch (part.type) {
      case 'text-delta':
        return this.#append('text', part)
      case 'reasoning-delta':
        return this.#append('reasoning', part)
      case 'text-start':
      case 'reasoning-start':
        this.#start(part.type === 'text-start' ? 'text' : 'reasoning', part)
        return null
      case 'text-end':
        return this.#end('text', part)
      case 'reasoning-end':
        return this.#end('reasoning', part)
      case 'tool-input-delta':
        return this.#countInput(part)
      case 'tool-call':
        return this.#addCall(part)
      case 'finish':
        return this.#finish(part)
      default:
        return null
    }
  }

  /** Everything so far, in order. */
  parts(): AssistantPart[] {
    return this.#parts
      .filter((part) => part.type === 'call' || part.text !== '' || part.metadata !== undefined)
      .map((part) => {
        if (part.type === 'call') return part
        const { type, text, metadata } = part
        return metadata === undefined ? { type, text } : { type, text, metadata }
      })
  }

  #start(type: OpenPart['type'], part: Readonly<Record<string, unknown>>): OpenPart {
    const opened: OpenPart = { type, text: '', metadata: this.#metadata(part) }
    const id = idOf(part)
    this.#count(partOverhead + id.length)
    this.#parts.push(opened)
    this.#open[type].set(id, opened)
    return opened
  }

  #append(type: OpenPart['type'], part: Readonly<Record<string, unknown>>): ContentEvent | null {
    const { delta } = part
    if (typeof delta !== 'string') return null
    const open = this.#open[type].get(idOf(part)) ?? this.#start(type, part)
    this.#count(delta.length)
    open.text += delta
    if (part.providerMetadata !== undefined) open.metadata = this.#metadata(part) ?? open.metadata
    return delta === '' ? null : { type, text: delta }
  }

  #end(type: OpenPart['type'], part: Readonly<Record<string, unknown>>): null {
    const open = this.#open[type].get(idOf(part))
    if (open !== undefined) open.metadata = this.#metadata(part) ?? open.metadata
    this.#open[type].delete(idOf(part))
    return null
  }

  /** A call whose input never ends must not fill the memory. */
  #countInput({ id, delta }: Readonly<Record<string, unknown>>): null {
    if (typeof delta !== 'string') return null
    const callId = typeof id === 'string' ? id : ''
    if (!this.#inputs.has(callId)) this.#count(partOverhead + callId.length)
    const length = (this.#inputs.get(callId) ?? 0) + delta.length
    if (length > this.#limits.maxInputCharacters) this.#reject(`a call with more than ${this.#inputLimit}`)
    this.#inputs.set(callId, length)
    this.#count(delta.length)
    return null
  }

  #addCall(part: Readonly<Record<string, unknown>>): ContentEvent | null {
    const { toolCallId, toolName, input } = part
    // The provider ran it, and its result is part of the text.
    if (part.providerExecuted === true) return null
    if (typeof toolName !== 'string' || typeof input !== 'string' || typeof toolCallId !== 'string')
      this.#reject('a call without a name, an id or an input')
    if (input.length > this.#limits.maxInputCharacters)
      this.#reject(`a call with more than ${this.#inputLimit}`)
    const counted = this.#inputs.get(toolCallId) ?? 0
    this.#inputs.delete(toolCallId)
    this.#count(input.length - counted + toolName.length + toolCallId.length)
    if (++this.#calls > this.#limits.maxCalls) this.#reject(`more than ${this.#limits.maxCalls} calls`)
    const call = {
      type: 'call',
      callId: shortened(toolCallId),
      name: shortened(toolName),
      input: parseInput(input),
    } as const
    const metadata = this.#metadata(part)
    this.#parts.push(metadata === undefined ? call : { ...call, metadata })
    return call
  }

  #finish({ finishReason, usage }: Readonly<Record<string, unknown>>): null {
    const { unified, raw } = (finishReason ?? {}) as Record<string, unknown>
    this.finishReason = {
      unified: finishReasons.includes(unified as FinishReason) ? (unified as FinishReason) : 'other',
      // A longer one is not shortened, because half a secret would not be redacted.
      raw: typeof raw === 'string' && raw.length <= 100 ? raw : null,
    }
    this.usage = readUsage(usage)
    return null
  }

  #metadata({ providerMetadata }: Readonly<Record<string, unknown>>): SharedV4ProviderMetadata | undefined {
    if (typeof providerMetadata !== 'object' || providerMetadata === null) return undefined
    if (isTooDeep(providerMetadata)) return undefined
    try {
      const json = JSON.stringify(providerMetadata)
      this.#count(json.length)
      // A copy, because the history is plain data.
      return JSON.parse(json)
    } catch (error) {
      if (error instanceof ModelError) throw error
      return undefined
    }
  }

  #count(characters: number): void {
    this.#characters += characters
    if (this.#characters > this.#limits.maxCharacters)
      this.#reject(`more than ${this.#limits.maxCharacters} characters`)
  }

  get #inputLimit(): string {
    return `${this.#limits.maxInputCharacters} characters of input`
  }

  #reject(what: string): never {
    throw new ModelError(failure('invalid-response', this.#model, `the response contains ${what}`))
  }
}

/** Longer than any valid name or id, and too short for a thousand of them to fill the memory. */
const maxNameLength = 256

function shortened(name: string): string {
  return name.length > maxNameLength ? copySlice(name, 0, maxNameLength) : name
}

function idOf({ id }: Readonly<Record<string, unknown>>): string {
  return typeof id === 'string' ? id : ''
}

const finishReasons: readonly FinishReason[] = [
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
  'other',
]

/** The core explains to the model what is wrong with a string that is not JSON. */
function parseInput(input: string): unknown {
  if (input.trim() === '') return {}
  return attempt(() => parseJson(input), input)
}

function readUsage(usage: unknown): ModelUsage {
  const { inputTokens, outputTokens } = (usage ?? {}) as Record<string, Record<string, unknown> | undefined>
  return {
    inputTokens: tokens(inputTokens?.total),
    cachedInputTokens: tokens(inputTokens?.cacheRead),
    cacheWriteTokens: tokens(inputTokens?.cacheWrite),
    outputTokens: tokens(outputTokens?.total),
    reasoningTokens: tokens(outputTokens?.reasoning),
  }
}

/** Larger numbers cannot be added up exactly. */
function tokens(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null
}
