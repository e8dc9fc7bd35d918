import { truncatedText } from '../language/tokenise-sentences.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asSchema, resolveReference, type Schema } from './schema.ts'

export interface ReviewedParameter {
  readonly name: string
  readonly schema: Schema
  readonly description: string
  readonly required: boolean
}

const maxParameters = 500

/** The properties of the root schema, with `$ref` resolved. */
export function topLevelParameters(tool: ReviewedTool): readonly ReviewedParameter[] {
  const root = asSchema(tool.inputSchema)
  const known = cache.get(root)
  if (known !== undefined) return known
  const required = new Set(Array.isArray(root.required) ? root.required.slice(0, maxParameters) : [])
  const read = Object.entries(asSchema(root.properties))
    .slice(0, maxParameters)
    .map(([name, value]) => {
      const property = asSchema(value)
      const schema = resolveReference(root, property)
      const description = truncatedText(property.description) || truncatedText(schema.description)
      return { name, schema, description, required: required.has(name) }
    })
  cache.set(root, read)
  return read
}

const cache = new WeakMap<Schema, readonly ReviewedParameter[]>()
