import { nameWords } from '../../language/name-words.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { asSchema, ownValue, resolveReference, type Schema } from '../../schema/schema.ts'
import { parametersOf, type Subschema } from '../../schema/walk-schema.ts'

/** A parameter with everything that the definition says about it in prose. */
export interface DescribedParameter extends Subschema {
  /** With `$ref` resolved, and the keywords of the parameter itself on top. */
  readonly complete: Schema
  readonly prose: string
}

const maxLines = 200
const cache = new WeakMap<ReviewedTool, readonly DescribedParameter[]>()

/** Parameters with their own description and the lines of the tool's description that begin with their name. */
export function describedParameters(tool: ReviewedTool): readonly DescribedParameter[] {
  const known = cache.get(tool)
  if (known !== undefined) return known
  const lines = linesByName(tool.description ?? '')
  const described = parametersOf(tool).map((parameter) => {
    const complete = { ...resolveReference(tool.inputSchema, parameter.schema), ...parameter.schema }
    const own = ownValue(complete, 'description')
    const line = parameter.owner === asSchema(tool.inputSchema) ? lines.get(parameter.name) : undefined
    const prose = [typeof own === 'string' ? own : '', line ?? ''].filter((text) => text !== '').join('\n')
    return { ...parameter, complete, prose }
  })
  cache.set(tool, described)
  return described
}

/** `- limit (integer): at most 100` under the name `limit`. */
function linesByName(description: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>()
  for (const line of description.slice(0, 20_000).split('\n').slice(0, maxLines)) {
    const [, name, text = ''] =
      /^\s*(?:[-*•]\s*)?[`"'*]{0,3}([A-Za-z][\w-]{0,60})[`"'*]{0,3}\s*(?:\([^()]{0,60}\)\s*)?[:–—-]\s*(.{1,1000})$/.exec(
        line,
      ) ?? []
    if (name !== undefined && nameWords(name).length > 0 && !lines.has(name)) lines.set(name, text)
  }
  return lines
}
