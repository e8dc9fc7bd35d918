import type { ReviewedTool } from '../review-types.ts'
import { asArray, asSchema, escapeKey, followReference, isRecord, ownValue, type Schema } from './schema.ts'

/** A schema within a tool's input schema. */
export interface Subschema {
  readonly kind: 'root' | 'property' | 'items' | 'variant' | 'part' | 'definition' | 'values'
  readonly pointer: string
  /** The name of a property; otherwise empty. */
  readonly name: string
  /** Empty if `raw`, the value as received, is not an object. */
  readonly schema: Schema
  readonly raw: unknown
  /** For a property. `sometimes`: only some branch requires it. */
  readonly required: 'always' | 'sometimes' | 'never'
  /** The object schema that contains a property. */
  readonly owner: Schema | undefined
}

export interface SchemaWalk {
  readonly subschemas: readonly Subschema[]
  /** The properties that a caller chooses a value for. */
  readonly parameters: readonly Subschema[]
  /** The first pointer that was skipped because the schema is too deep or too large. */
  readonly cutAt: string | undefined
}

const maxDepth = 32
const maxSubschemas = 2_000
const walks = new WeakMap<ReviewedTool, SchemaWalk>()

/** The subschemas that a call can reach: definitions only if a `$ref` leads to them, each once, so cycles do no harm. */
export function walkSchema(tool: ReviewedTool): SchemaWalk {
  const known = walks.get(tool)
  if (known !== undefined) return known
  const result = walk(tool.inputSchema)
  walks.set(tool, result)
  return result
}

/** The properties that a caller chooses a value for, at any depth; not those with a single possible value. */
export function parametersOf(tool: ReviewedTool): readonly Subschema[] {
  return walkSchema(tool).parameters
}

/** Whether only one value is possible, such as the `type` of a variant. */
function isConstant(schema: Schema): boolean {
  return Object.hasOwn(schema, 'const') || asArray(ownValue(schema, 'enum')).length === 1
}

interface Pending extends Subschema {
  readonly depth: number
  /** What the enclosing schema requires, for a branch of it. */
  readonly enclosingRequired: readonly unknown[]
}

function walk(root: unknown): SchemaWalk {
  const subschemas: Subschema[] = []
  let cutAt: string | undefined
  const first = createSubschema('root', '/inputSchema', root)
  const stack: Pending[] = [{ ...first, depth: 0, enclosingRequired: [] }]
  const definitions = new Set<string>()
  for (let pending = stack.pop(); pending !== undefined; pending = stack.pop()) {
    if (subschemas.length >= maxSubschemas || pending.depth > maxDepth) {
      cutAt ??= pending.pointer
      if (subschemas.length >= maxSubschemas) break
      continue
    }
    const { depth: _, enclosingRequired: __, ...subschema } = pending
    subschemas.push(subschema)
    const target = definitionOf(root, pending)
    if (target !== undefined && !definitions.has(target.pointer)) {
      definitions.add(target.pointer)
      stack.push(target)
    }
    stack.push(...childrenOf(pending).reverse())
  }
  const parameters = subschemas.filter(({ kind, schema }) => kind === 'property' && !isConstant(schema))
  return { subschemas, parameters, cutAt }
}

function createSubschema(kind: Subschema['kind'], pointer: string, raw: unknown): Subschema {
  return { kind, pointer, name: '', schema: asSchema(raw), raw, required: 'never', owner: undefined }
}

/** The definition that a subschema refers to. References to other parts of the schema lead to what is visited anyway. */
function definitionOf(root: unknown, { schema, depth }: Pending): Pending | undefined {
  const reference = ownValue(schema, '$ref')
  if (typeof reference !== 'string' || !/^#\/(?:\$defs|definitions)\//.test(reference)) return undefined
  const raw = followReference(root, reference)
  if (!isRecord(raw)) return undefined
  return {
    ...createSubschema('definition', `/inputSchema${reference.slice(1)}`, raw),
    depth: depth + 1,
    enclosingRequired: [],
  }
}

/** Most schemas have none of these, so they are skipped quickly. */
const structural =
  'properties patternProperties additionalProperties items prefixItems anyOf oneOf allOf'.split(' ')

function childrenOf({ schema, pointer, depth, enclosingRequired }: Pending): Pending[] {
  const children: Pending[] = []
  if (!structural.some((keyword) => Object.hasOwn(schema, keyword))) return children
  const requiredNames = [
    ...asArray(ownValue(schema, 'required')).slice(0, maxSubschemas),
    ...enclosingRequired,
  ]
  const add = (
    kind: Subschema['kind'],
    path: string,
    raw: unknown,
    more: Partial<Subschema & { enclosingRequired: readonly unknown[] }> = {},
  ): void => {
    if (children.length > maxSubschemas) return
    children.push({
      ...createSubschema(kind, `${pointer}/${path}`, raw),
      depth: depth + 1,
      enclosingRequired: [],
      ...more,
    })
  }
  const each = (keyword: string, visit: (key: string, raw: unknown) => void): void => {
    const value = asSchema(ownValue(schema, keyword))
    let remaining = maxSubschemas
    for (const key in value) if (Object.hasOwn(value, key) && remaining-- > 0) visit(key, value[key])
  }
  const always = new Set(requiredNames)
  const sometimes = requiredSometimes(schema)
  each('properties', (name, raw) => {
    const required = always.has(name) ? 'always' : sometimes.has(name) ? 'sometimes' : 'never'
    add('property', `properties/${escapeKey(name)}`, raw, { name, required, owner: schema })
  })
  each('patternProperties', (key, raw) => add('values', `patternProperties/${escapeKey(key)}`, raw))
  if (isSchema(ownValue(schema, 'additionalProperties'))) {
    add('values', 'additionalProperties', ownValue(schema, 'additionalProperties'))
  }
  const items = ownValue(schema, 'items')
  if (Array.isArray(items))
    items.slice(0, maxSubschemas).forEach((raw, index) => void add('items', `items/${index}`, raw))
  else if (isSchema(items)) add('items', 'items', items)
  for (const [index, raw] of asArray(ownValue(schema, 'prefixItems')).slice(0, maxSubschemas).entries()) {
    add('items', `prefixItems/${index}`, raw)
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = asArray(ownValue(schema, keyword)).slice(0, maxSubschemas)
    // A branch of an object that has properties itself is a part of it; other branches are alternatives to each other.
    const kind = keyword === 'allOf' || ownValue(schema, 'properties') !== undefined ? 'part' : 'variant'
    for (const [index, raw] of branches.entries()) {
      add(kind, `${keyword}/${index}`, raw, { enclosingRequired: requiredNames })
    }
  }
  return children
}

/** Names that only some branch requires: neither required nor simply optional. */
function requiredSometimes(schema: Schema): Set<unknown> {
  const names = new Set<unknown>()
  const addRequired = (branch: unknown): void => {
    for (const name of asArray(ownValue(asSchema(branch), 'required')).slice(0, maxSubschemas))
      names.add(name)
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    for (const branch of asArray(ownValue(schema, keyword)).slice(0, maxSubschemas)) addRequired(branch)
  }
  for (const keyword of ['if', 'then', 'else']) addRequired(ownValue(schema, keyword))
  for (const keyword of ['dependentRequired', 'dependencies']) {
    for (const list of Object.values(asSchema(ownValue(schema, keyword))).slice(0, maxSubschemas)) {
      for (const name of asArray(list).slice(0, maxSubschemas)) names.add(name)
    }
  }
  return names
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
