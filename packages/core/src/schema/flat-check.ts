import type { ErrorObject } from 'ajv'
import type { JsonSchema } from './json-schema.ts'
import type { SchemaCheck } from './schema-check.ts'

type FlatError = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message' | 'parentSchema'>

const annotations = ['title', 'description', 'default', 'examples', 'deprecated']
const schemaKeywords = new Set(['type', 'properties', 'required', 'additionalProperties', ...annotations])
const propertyKeywords = new Set(['type', ...annotations])

const typeChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  // As Ajv outside of strict mode, for which Infinity is an integer.
  integer: (value) => typeof value === 'number' && !(value % 1) && !Number.isNaN(value),
  boolean: (value) => typeof value === 'boolean',
}

/**
 * The check of an object whose properties are only strings, numbers and booleans, as the parameters of most tools are. It needs no
 * compiler, which takes 40 ms to load and run, and reports the same errors. `null` for any other schema.
 */
export function flatCheck(schema: JsonSchema): SchemaCheck | null {
  const { type, properties = {}, required = [], additionalProperties = true } = schema
  const isFlat =
    type === 'object' && typeof additionalProperties === 'boolean' && hasOnly(schema, schemaKeywords)
  const entries = Object.entries(properties as Record<string, unknown>)
  if (!isFlat || !entries.every(isScalar)) return null
  const known = new Set(entries.map(([name]) => name))
  const types = entries.map(([name, { type }]) => ({ name, type, check: typeChecks[type]! }))
  const defaults = entries.flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [{ name, value }],
  )

  const check: SchemaCheck = (value) => {
    const errors: FlatError[] = []
    const report = (error: Omit<FlatError, 'parentSchema'>): void =>
      void errors.push({ ...error, parentSchema: schema })
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      report({ instancePath: '', keyword: 'type', params: {}, message: 'must be object' })
    } else {
      const object = value as Record<string, unknown>
      for (const { name, value } of defaults)
        if (object[name] === undefined) object[name] = structuredClone(value)
      for (const name of required as string[])
        if (object[name] === undefined)
          report({ instancePath: '', keyword: 'required', params: { missingProperty: name } })
      if (!additionalProperties)
        for (const name in object)
          if (!known.has(name))
            report({
              instancePath: '',
              keyword: 'additionalProperties',
              params: { additionalProperty: name },
            })
      for (const { name, type, check } of types)
        if (object[name] !== undefined && !check(object[name]))
          report({
            instancePath: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
            keyword: 'type',
            params: {},
            message: `must be ${type}`,
          })
    }
    check.errors = errors as ErrorObject[]
    return errors.length === 0
  }
  return check
}

function isScalar(entry: [string, unknown]): entry is [string, { type: string; default?: unknown }] {
  const [name, schema] = entry
  if (typeof schema !== 'object' || schema === null || name === '__proto__') return false
  const { type } = schema as { type?: unknown }
  return typeof type === 'string' && Object.hasOwn(typeChecks, type) && hasOnly(schema, propertyKeywords)
}

function hasOnly(schema: object, keywords: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((keyword) => keywords.has(keyword))
}
