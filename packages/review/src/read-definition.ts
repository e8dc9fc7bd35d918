import type { JsonSchema } from '@curfew/core'
import { checkDefinition, hints } from './check-definition.ts'
import type { Finding, ReviewedAnnotations, ReviewedTool } from './review-types.ts'
import { readSuppressions } from './rules/read-suppressions.ts'
import { isRecord, ownValue } from './schema/schema.ts'

/** The key in a definition's `_meta` that configures the review. */
const reviewMetaKey = 'curfew/review'

export interface ReadDefinition {
  readonly tool: ReviewedTool
  /** What does not follow the protocol, and suppressions that have no effect. */
  readonly findings: readonly Finding[]
}

/** Reads an entry of MCP's `tools/list`. Never throws: a field of the wrong type is reported and treated as missing. */
export function readDefinition(
  definition: unknown,
  { location }: Partial<Pick<ReviewedTool, 'location'>> = {},
): ReadDefinition {
  const meta = ownValue(definition, '_meta')
  const { suppressions, findings } = readSuppressions(ownValue(meta, reviewMetaKey))
  const tool: ReviewedTool = {
    name: asString(ownValue(definition, 'name')) ?? '',
    title: asString(ownValue(definition, 'title')),
    description: asString(ownValue(definition, 'description')),
    usage: undefined,
    inputSchema: asJsonSchema(ownValue(definition, 'inputSchema')) ?? {},
    outputSchema: asJsonSchema(ownValue(definition, 'outputSchema')),
    annotations: readAnnotations(ownValue(definition, 'annotations')),
    curfew: undefined,
    location,
    suppressions,
  }
  return { tool, findings: [...checkDefinition(definition), ...findings] }
}

/** Like `readDefinition`, without the findings. */
export function fromDefinition(
  definition: unknown,
  options: Partial<Pick<ReviewedTool, 'location'>> = {},
): ReviewedTool {
  return readDefinition(definition, options).tool
}

function readAnnotations(value: unknown): ReviewedAnnotations | undefined {
  if (!isRecord(value)) return undefined
  const annotations: Record<string, unknown> = {}
  const title = asString(ownValue(value, 'title'))
  if (title !== undefined) annotations.title = title
  for (const hint of hints) {
    const claimed = ownValue(value, hint)
    if (typeof claimed === 'boolean') annotations[hint] = claimed
  }
  return annotations
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function asJsonSchema(value: unknown): JsonSchema | undefined {
  return isRecord(value) ? value : undefined
}
