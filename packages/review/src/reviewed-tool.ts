import type { JsonSchema, Tool } from '@curfew/core'
import { toolAnnotations } from '@curfew/core/internal'
import type { ReviewedAnnotations, ReviewedTool } from './review-types.ts'
import { isRecord, own } from './schema/schema.ts'
import { readSuppressions } from './suppressions.ts'

/** Where a definition keeps what is for the review alone. */
export const reviewMetaKey = 'curfew/review'

/**
 * An entry of MCP's `tools/list`. Never throws: what has the wrong type is taken for missing, and `checkDefinition` says
 * so.
 */
export function fromDefinition(
  definition: unknown,
  { place }: Partial<Pick<ReviewedTool, 'place'>> = {},
): ReviewedTool {
  const meta = own(definition, '_meta')
  return {
    name: text(own(definition, 'name')) ?? '',
    title: text(own(definition, 'title')),
    description: text(own(definition, 'description')),
    usage: undefined,
    inputSchema: schema(own(definition, 'inputSchema')) ?? {},
    outputSchema: schema(own(definition, 'outputSchema')),
    annotations: readAnnotations(own(definition, 'annotations')),
    own: undefined,
    place,
    suppressions: readSuppressions(own(meta, reviewMetaKey)).suppressions,
  }
}

/** One of our own tools. Its hints are those that an agent would be told. */
export function fromTool(
  tool: Tool,
  { place, suppressions = [] }: Partial<Pick<ReviewedTool, 'place' | 'suppressions'>> = {},
): ReviewedTool {
  const {
    name,
    description,
    usage,
    adapter,
    readOnly,
    concurrent,
    idempotent,
    destructive,
    openWorld,
    declared,
  } = tool
  return {
    name,
    title: undefined,
    description,
    usage,
    inputSchema: tool.schema.jsonSchema,
    outputSchema: undefined,
    annotations: toolAnnotations(tool),
    own: {
      adapter,
      readOnly,
      concurrent,
      idempotent,
      destructive,
      openWorld,
      declared,
      timeoutMs: tool.timeoutMs,
    },
    place,
    suppressions,
  }
}

function readAnnotations(value: unknown): ReviewedAnnotations | undefined {
  if (!isRecord(value)) return undefined
  const kept: Record<string, unknown> = {}
  const title = text(own(value, 'title'))
  if (title !== undefined) kept.title = title
  for (const hint of hints) {
    const said = own(value, hint)
    if (typeof said === 'boolean') kept[hint] = said
  }
  return kept
}

export const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function schema(value: unknown): JsonSchema | undefined {
  return isRecord(value) ? value : undefined
}
