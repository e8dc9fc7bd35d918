import type { LanguageModelV4, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { JsonSchema, ToolView } from '@curfew/core'
import { modelText } from '@curfew/core/internal'
import { cacheMarker } from './cache-marker.ts'
import { wireFormatOf } from './name-of-model.ts'
import { createWireNames, type WireNames } from './wire-names.ts'

export interface ModelTools {
  readonly tools: LanguageModelV4FunctionTool[]
  readonly names: WireNames
}

/**
 * The tools of a conversation for a model. Sorted by name: the list is the same in every request, whichever tool was registered first,
 * so that the provider's prompt cache stays valid.
 */
export function toTools(views: readonly ToolView[], model: Pick<LanguageModelV4, 'provider'>): ModelTools {
  const names = createWireNames(views.map(({ name }) => name))
  const sorted = [...new Map(views.map((view) => [view.name, view])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  const tools = sorted.map((view): LanguageModelV4FunctionTool => {
    const { description } = view
    return {
      type: 'function',
      name: names.toWire(view.name),
      ...(description !== undefined && { description: modelText(description) }),
      inputSchema: toInputSchema(view.parameters),
    }
  })
  const last = tools.at(-1)
  if (last !== undefined && wireFormatOf(model) === 'anthropic') last.providerOptions = cacheMarker
  return { tools, names }
}

/** Keywords that OpenAI and Anthropic reject at the top level. */
const alternatives = ['anyOf', 'oneOf', 'allOf'] as const
const rejected: readonly string[] = [
  ...alternatives,
  'not',
  'enum',
  'const',
  'if',
  'then',
  'else',
  '$schema',
  '$id',
]

/**
 * An object schema, which all providers require. The model sees the properties of all alternatives; which of them belong together is
 * checked by the runtime.
 */
function toInputSchema(parameters: JsonSchema | undefined): LanguageModelV4FunctionTool['inputSchema'] {
  // A stub has no parameters.
  if (parameters === undefined || typeof parameters !== 'object') return { type: 'object', properties: {} }
  const schema = parameters as Readonly<Record<string, unknown>>
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !rejected.includes(key)))
  const properties: Record<string, unknown> = {}
  for (const key of alternatives) {
    const choices = schema[key]
    for (const choice of Array.isArray(choices) ? choices : []) Object.assign(properties, choice?.properties)
  }
  Object.assign(properties, schema.properties)
  return { ...kept, type: 'object', properties } as LanguageModelV4FunctionTool['inputSchema']
}
