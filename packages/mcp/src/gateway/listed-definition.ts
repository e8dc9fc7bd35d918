import { toolAnnotations, toolView, type View } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server'
import { alwaysLoadKey } from '../client/tools/always-load.ts'
import { briefInputSchema, briefOutputSchema } from './brief-schema.ts'
import type { CatalogEntry } from './catalog.ts'
import { firstSentence, moreMark } from './shorten-text.ts'
import { executionFor } from './task-support.ts'

/** A tool's definition for clients. */
export interface ListedDefinition {
  readonly definition: ToolDefinition
  /** Something that a model may need was left out; `callDefinition` contains it. */
  readonly isShortened: boolean
}

const maxDescriptionLength = 160
const shortDescriptionLength = 80

/** The definition of a tool as `tools/list` contains it. The full view contains the server's definition unchanged. */
export function listedDefinition(entry: CatalogEntry, view: View): ListedDefinition {
  const { name, tool, upstream } = entry
  if (view === 'stub' && !tool.alwaysLoad) return whole({ name, inputSchema: { type: 'object' } })
  if (upstream === null) return whole(ownDefinition(entry, view))
  const { annotations: _, ...definition } = upstream.definition
  const hints = annotationsOf(entry)
  if (view !== 'brief') return whole({ ...definition, name, ...hints, ...executionFor(upstream.definition) })
  const { definition: brief, isShortened } = briefDefinition(upstream.definition)
  return { definition: { ...brief, name, ...hints }, isShortened }
}

/** Everything that a model needs to call a tool: what the stub and brief views leave out. */
export function callDefinition(entry: CatalogEntry): ToolDefinition {
  const { name, upstream } = entry
  if (upstream === null) return ownDefinition(entry, 'full')
  const { description, inputSchema } = upstream.definition
  return { name, ...(description !== undefined && { description }), inputSchema, ...annotationsOf(entry) }
}

function whole(definition: ToolDefinition): ListedDefinition {
  return { definition, isShortened: false }
}

/** Lists are rebuilt whenever a server's tools change, but definitions rarely change. */
const known = new WeakMap<ToolDefinition, ListedDefinition>()

function briefDefinition(full: ToolDefinition): ListedDefinition {
  const cached = known.get(full)
  if (cached !== undefined) return cached
  const { name, description, inputSchema, outputSchema, _meta } = full
  const sentence = description && firstSentence(description, maxDescriptionLength, shortDescriptionLength)
  const input = briefInputSchema(inputSchema)
  const listed: ListedDefinition = {
    definition: {
      name,
      ...(sentence && { description: sentence }),
      inputSchema: { ...input.schema, type: 'object' },
      ...(outputSchema !== undefined && { outputSchema: briefOutputSchema(outputSchema) }),
      ...executionFor(full),
      ...(_meta !== undefined && { _meta }),
    },
    isShortened: input.isShortened || sentence?.endsWith(moreMark) === true,
  }
  known.set(full, listed)
  return listed
}

function ownDefinition({ name, tool }: CatalogEntry, view: View): ToolDefinition {
  const { description, parameters } = toolView(tool, view)
  const { title, meta, alwaysLoad } = tool
  const _meta = { ...(alwaysLoad && { [alwaysLoadKey]: true }), ...meta }
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { type: 'object', ...parameters },
    annotations: toolAnnotations(tool),
    ...(Object.keys(_meta).length > 0 && { _meta }),
  }
}

/** A client may skip its own confirmation because of annotations, so those of untrusted servers are left out. */
function annotationsOf({ tool, upstream }: CatalogEntry): Pick<ToolDefinition, 'annotations'> {
  const annotations = upstream?.definition.annotations
  const isChanged = tool.overrides?.readOnly !== undefined || tool.overrides?.idempotent !== undefined
  const isTrusted = upstream?.upstream.config.trust === true && annotations !== undefined
  if (!isTrusted && !isChanged) return {}
  return { annotations: { ...(isTrusted && annotations), ...(isChanged && toolAnnotations(tool)) } }
}
