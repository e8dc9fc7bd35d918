import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { CurfewError } from '../errors/curfew-error.ts'
import { compileJsonSchema } from './compile-json-schema.ts'
import type { FromJsonSchema, JsonSchema } from './json-schema.ts'

/** Any Standard Schema (zod, valibot, arktype, ...) or a plain JSON Schema. */
export type ParameterSchema = StandardSchemaV1 | JsonSchema

/** The parameters that a tool's `execute` is given. */
export type InferParams<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : FromJsonSchema<S>

export type Validation =
  | { readonly ok: true; readonly params: unknown }
  | { readonly ok: false; readonly issues: readonly ParameterIssue[]; readonly params?: unknown }

export interface ParameterIssue {
  /** Where: `text`, `items[2].name`, or empty for the whole. */
  readonly path: string
  readonly message: string
  /** The key is not known at all; these are. */
  readonly unknownAmong?: readonly string[]
}

export interface CompiledSchema {
  /** What the model is shown. */
  readonly jsonSchema: JsonSchema
  validate(params: unknown): Validation | Promise<Validation>
}

/** Throws `INVALID_TOOL`, naming `field`, for what is not a usable schema of an object. */
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
      'a tool takes an object, so it must be z.object({ ... }), or JSON Schema with "type": "object"',
    )
  }
  return compiled
}

/** The schema of a tool without parameters. Needs no compiler. */
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
    throw invalidSchema(field, 'pass a Standard Schema such as z.object({ ... }), or a JSON Schema object')
  }
  return { jsonSchema: schema as JsonSchema, validate: compile(schema as JsonSchema, field) }
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
      `this ${standard.vendor} schema cannot describe itself as JSON Schema, which the model needs; ` +
        'use a version that implements Standard JSON Schema, or pass plain JSON Schema',
    )
  }
  try {
    const { $schema: _, ...schema } = converter.input({ target: 'draft-2020-12' })
    return schema
  } catch (error) {
    throw invalidSchema(field, `it cannot be written as JSON Schema: ${(error as Error).message}`, error)
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
  return new CurfewError('INVALID_TOOL', `${field}: ${problem}`, { field, cause })
}
