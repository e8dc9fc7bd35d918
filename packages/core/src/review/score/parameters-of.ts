import type { ReviewedTool } from '../review-types.ts'
import { readable } from './words.ts'

type Schema = Readonly<Record<string, unknown>>

export interface ReviewedParameter {
  readonly name: string
  readonly schema: Schema
  readonly description: string
  readonly required: boolean
}

const mostParameters = 500
const mostReferences = 8

/** The parameters of a tool, with what a `$ref` stands for, however odd the schema is. */
export function parametersOf(tool: ReviewedTool): readonly ReviewedParameter[] {
  const root = asSchema(tool.inputSchema)
  const known = parameters.get(root)
  if (known !== undefined) return known
  const required = new Set(Array.isArray(root.required) ? root.required.slice(0, mostParameters) : [])
  const read = Object.entries(asSchema(root.properties))
    .slice(0, mostParameters)
    .map(([name, value]) => {
      const written = asSchema(value)
      const schema = resolve(written, root)
      const description = readable(written.description) || readable(schema.description)
      return { name, schema, description, required: required.has(name) }
    })
  parameters.set(root, read)
  return read
}

/** Several dimensions ask; a tool is read once. */
const parameters = new WeakMap<Schema, readonly ReviewedParameter[]>()

function resolve(schema: Schema, root: Schema): Schema {
  let target = schema
  for (let hops = 0; typeof target.$ref === 'string' && hops < mostReferences; hops++) {
    const path = target.$ref.slice(0, 1_000).split('/')
    if (path.shift() !== '#') break
    let found: unknown = root
    for (const step of path.slice(0, 20)) found = own(found, step.replaceAll('~1', '/').replaceAll('~0', '~'))
    target = asSchema(found)
  }
  return target
}

function own(value: unknown, key: string): unknown {
  return Object.hasOwn(asSchema(value), key) ? asSchema(value)[key] : undefined
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : nothing
}

const nothing: Schema = Object.freeze({})
