import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { CurfewError } from '../errors/curfew-error.ts'
import { fieldError } from '../errors/field-error.ts'
import { compileJsonSchema } from './compile-json-schema.ts'
import type { FromJsonSchema, JsonSchema } from './json-schema.ts'

/** Any Standard Schema (zod, valibot, arktype, ...) or a plain JSON Schema. */
export type ParameterSchema = StandardSchemaV1 | JsonSchema

/** The type of the parameters that a tool's `execute` receives. */
export type InferParams<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : FromJsonSchema<S>

export type Validation =
  | { readonly ok: true; readonly params: unknown }
  | { readonly ok: false; readonly issues: readonly ParameterIssue[]; readonly params?: unknown }

export interface ParameterIssue {
  /** For example `text` or `items[2].name`; empty for the parameters object itself. */
  readonly path: string
  readonly message: string
  /** Set if the key is unknown: the known keys at this path. */
  readonly knownKeys?: readonly string[]
}

export interface CompiledSchema {
  /** Shown to the model. */
  readonly jsonSchema: JsonSchema
  validate(params: unknown): Validation | Promise<Validation>
}

/** @throws `INVALID_TOOL`, naming `field`, if `schema` is not a valid schema of an object. */
export function compileSchema(
  schema: unknown,
  field: string,
  compile: typeof compileJsonSchema = compileJsonSchema,
): CompiledSchema {
  const compiled = isStandardSchema(schema)
    ? compileStandardSchema(schema, field)
    : fromJsonSchema(schema, field, compile)
  if (compiled.jsonSchema.type !== 'object') {
    throw invalidSchema(
      field,
      `expected a schema of an object, got type ${JSON.stringify(compiled.jsonSchema.type)}; ` +
        'use z.object({ ... }), or JSON Schema with "type": "object"',
    )
  }
  return compiled
}

/** The schema of a tool without parameters. */
export const noParameters: CompiledSchema = {
  jsonSchema: { type: 'object', properties: {}, additionalProperties: false },
  validate(params) {
    if (typeof params !== 'object' || params === null || Array.isArray(params)) {
      return { ok: false, issues: [{ path: '', message: 'must be object' }] }
    }
    const extra = Object.keys(params).map((path) => ({ path, message: 'is not a parameter of this tool' }))
    return extra.length === 0 ? { ok: true, params } : { ok: false, issues: extra }
  },
}

function fromJsonSchema(schema: unknown, field: string, compile: typeof compileJsonSchema): CompiledSchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw invalidSchema(
      field,
      `expected a Standard Schema such as z.object({ ... }) or a JSON Schema object, got ${nameType(schema)}`,
    )
  }
  return { jsonSchema: schema as JsonSchema, validate: compile(schema as JsonSchema, field) }
}

function nameType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value
}

function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  return (
    ((typeof schema === 'object' && schema !== null) || typeof schema === 'function') && '~standard' in schema
  )
}

function compileStandardSchema(schema: StandardSchemaV1, field: string): CompiledSchema {
  const standard = schema['~standard']
  return {
    jsonSchema: toJsonSchema(standard, field),
    validate(params) {
      const result = standard.validate(params)
      return result instanceof Promise ? result.then(toValidation) : toValidation(result)
    },
  }
}

function toJsonSchema(standard: StandardSchemaV1.Props, field: string): JsonSchema {
  const converter = (standard as Partial<StandardJSONSchemaV1.Props>).jsonSchema
  if (converter === undefined) {
    throw invalidSchema(
      field,
      `expected a schema that converts to JSON Schema, got a ${standard.vendor} schema that does not; ` +
        `use a version of ${standard.vendor} that implements Standard JSON Schema, or pass plain JSON Schema`,
    )
  }
  try {
    const { $schema: _, ...schema } = converter.input({ target: 'draft-2020-12' })
    return schema
  } catch (error) {
    throw invalidSchema(field, `cannot be converted to JSON Schema: ${(error as Error).message}`, error)
  }
}

function toValidation(result: StandardSchemaV1.Result<unknown>): Validation {
  if (result.issues === undefined) return { ok: true, params: result.value }
  return {
    ok: false,
    issues: result.issues.map(({ message, path = [] }) => ({
      path: joinPath(path.map((segment) => (typeof segment === 'object' ? segment.key : segment))),
      message,
    })),
  }
}

export function joinPath(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number' || /^\d+$/.test(String(key))) return `${path}[${String(key)}]`
    return path === '' ? String(key) : `${path}.${String(key)}`
  }, '')
}

export function invalidSchema(field: string, problem: string, cause?: unknown): CurfewError {
  return fieldError('INVALID_TOOL', field, problem, cause)
}
