import { readable } from '../language/words.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asSchema, resolveReference, type Schema } from './schema.ts'

export interface ReviewedParameter {
  readonly name: string
  readonly schema: Schema
  readonly description: string
  readonly required: boolean
}

const mostParameters = 500

/** The parameters that a call names, with what a `$ref` stands for, however odd the schema is. */
export function topParameters(tool: ReviewedTool): readonly ReviewedParameter[] {
  const root = asSchema(tool.inputSchema)
  const known = parameters.get(root)
  if (known !== undefined) return known
  const required = new Set(Array.isArray(root.required) ? root.required.slice(0, mostParameters) : [])
  const read = Object.entries(asSchema(root.properties))
    .slice(0, mostParameters)
    .map(([name, value]) => {
      const written = asSchema(value)
      const schema = resolveReference(root, written)
      const description = readable(written.description) || readable(schema.description)
      return { name, schema, description, required: required.has(name) }
    })
  parameters.set(root, read)
  return read
}

/** Several dimensions ask; a tool is read once. */
const parameters = new WeakMap<Schema, readonly ReviewedParameter[]>()
