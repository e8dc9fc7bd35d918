import type { ReviewedTool } from '../review-types.ts'
import { asSchema, escapeKey, listOf, own, type Schema } from './schema.ts'

/** A schema inside of a tool's schema. */
export interface SchemaPlace {
  readonly kind: 'root' | 'property' | 'items' | 'variant' | 'part' | 'definition' | 'values'
  readonly pointer: string
  /** Of a property: its name. */
  readonly name: string
  /** `true` and what is no schema at all become an empty one; `raw` has what was written. */
  readonly schema: Schema
  readonly raw: unknown
  /** Of a property. Sometimes: only one of several branches asks for it. */
  readonly required: 'always' | 'sometimes' | 'never'
  /** The object schema that a property stands in. */
  readonly owner: Schema | undefined
}

export interface SchemaWalk {
  readonly places: readonly SchemaPlace[]
  /** Those that are properties. */
  readonly parameters: readonly SchemaPlace[]
  /** Where it went no further, if it is too deep or too large. */
  readonly cutAt: string | undefined
}

const deepest = 32
const mostPlaces = 2_000
const walks = new WeakMap<ReviewedTool, SchemaWalk>()

/** All schemas in a tool's input schema, in their order. References are not followed, so they may well be cyclic. */
export function schemaPlaces(tool: ReviewedTool): SchemaWalk {
  const known = walks.get(tool)
  if (known !== undefined) return known
  const walk = walkSchema(tool.inputSchema)
  walks.set(tool, walk)
  return walk
}

export function parametersOf(tool: ReviewedTool): readonly SchemaPlace[] {
  return schemaPlaces(tool).parameters
}

interface Todo extends SchemaPlace {
  readonly depth: number
  /** What the schema around it asks for, where this one is a part of it. */
  readonly requiredAround: readonly unknown[]
}

function walkSchema(root: unknown): SchemaWalk {
  const places: SchemaPlace[] = []
  let cutAt: string | undefined
  const first = place('root', '/inputSchema', root)
  const stack: Todo[] = [{ ...first, depth: 0, requiredAround: [] }]
  for (let todo = stack.pop(); todo !== undefined; todo = stack.pop()) {
    if (places.length >= mostPlaces || todo.depth > deepest) {
      cutAt ??= todo.pointer
      if (places.length >= mostPlaces) break
      continue
    }
    const { depth: _, requiredAround: __, ...found } = todo
    places.push(found)
    stack.push(...childrenOf(todo).reverse())
  }
  return { places, parameters: places.filter(({ kind }) => kind === 'property'), cutAt }
}

function place(kind: SchemaPlace['kind'], pointer: string, raw: unknown): SchemaPlace {
  return { kind, pointer, name: '', schema: asSchema(raw), raw, required: 'never', owner: undefined }
}

/** Most schemas are those of a text or a number, with nothing inside. */
const structural = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  '$defs',
  'definitions',
]

function childrenOf({ schema, pointer, depth, requiredAround }: Todo): Todo[] {
  const children: Todo[] = []
  if (!structural.some((keyword) => Object.hasOwn(schema, keyword))) return children
  const required = [...listOf(own(schema, 'required')).slice(0, mostPlaces), ...requiredAround]
  const add = (
    kind: SchemaPlace['kind'],
    path: string,
    raw: unknown,
    more: Partial<SchemaPlace & { requiredAround: readonly unknown[] }> = {},
  ): void => {
    if (children.length > mostPlaces) return
    children.push({
      ...place(kind, `${pointer}/${path}`, raw),
      depth: depth + 1,
      requiredAround: [],
      ...more,
    })
  }
  const each = (keyword: string, visit: (key: string, raw: unknown) => void): void => {
    const value = asSchema(own(schema, keyword))
    let left = mostPlaces
    for (const key in value) if (Object.hasOwn(value, key) && left-- > 0) visit(key, value[key])
  }
  const always = new Set(required)
  const sometimes = requiredSometimes(schema)
  each('properties', (name, raw) => {
    const asked = always.has(name) ? 'always' : sometimes.has(name) ? 'sometimes' : 'never'
    add('property', `properties/${escapeKey(name)}`, raw, { name, required: asked, owner: schema })
  })
  each('patternProperties', (key, raw) => add('values', `patternProperties/${escapeKey(key)}`, raw))
  if (isSchema(own(schema, 'additionalProperties'))) {
    add('values', 'additionalProperties', own(schema, 'additionalProperties'))
  }
  const items = own(schema, 'items')
  if (Array.isArray(items))
    items.slice(0, mostPlaces).forEach((raw, index) => void add('items', `items/${index}`, raw))
  else if (isSchema(items)) add('items', 'items', items)
  for (const [index, raw] of listOf(own(schema, 'prefixItems')).slice(0, mostPlaces).entries()) {
    add('items', `prefixItems/${index}`, raw)
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = listOf(own(schema, keyword)).slice(0, mostPlaces)
    // A branch of an object that has properties itself is a part of it; other branches stand for the whole.
    const kind = keyword === 'allOf' || own(schema, 'properties') !== undefined ? 'part' : 'variant'
    for (const [index, raw] of branches.entries()) {
      add(kind, `${keyword}/${index}`, raw, { requiredAround: required })
    }
  }
  for (const keyword of ['$defs', 'definitions']) {
    each(keyword, (key, raw) => add('definition', `${keyword}/${escapeKey(key)}`, raw))
  }
  return children
}

/** Names that only some branch asks for: they can have no default, and are not plainly optional either. */
function requiredSometimes(schema: Schema): Set<unknown> {
  const names = new Set<unknown>()
  const addRequired = (branch: unknown): void => {
    for (const name of listOf(own(asSchema(branch), 'required')).slice(0, mostPlaces)) names.add(name)
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    for (const branch of listOf(own(schema, keyword)).slice(0, mostPlaces)) addRequired(branch)
  }
  for (const keyword of ['if', 'then', 'else']) addRequired(own(schema, keyword))
  for (const keyword of ['dependentRequired', 'dependencies']) {
    for (const list of Object.values(asSchema(own(schema, keyword))).slice(0, mostPlaces)) {
      for (const name of listOf(list).slice(0, mostPlaces)) names.add(name)
    }
  }
  return names
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
