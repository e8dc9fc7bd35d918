import type { ErrorObject } from 'ajv'
import { ajvInstance, type Dialect, dialectOf, metaSchemaIds } from './ajv-instance.ts'
import type { ParameterIssue, Validation } from './compile-schema.ts'
import { invalidSchema, joinPath } from './compile-schema.ts'
import { flatCheck } from './flat-check.ts'
import type { JsonSchema } from './json-schema.ts'
import { precompiledChecks } from './precompiled-checks.ts'
import type { SchemaCheck } from './schema-check.ts'

type Validator = (params: unknown) => Validation

/**
 * What the meta-schema accepts and Ajv may still reject: references, patterns, `$async`, `nullable` without a type, an empty `enum`,
 * and `id` from draft-04. Also matches some schemas that are fine; they are only compiled early.
 */
const mayNotCompile = /"(?:\$|pattern|nullable"|enum":\[\]|id":[^{])/

/**
 * A validator that fills in defaults in a copy and never changes a type. An invalid schema is rejected immediately; a valid one is
 * compiled on first use, because loading the compiler is slow.
 */
export function compileJsonSchema(schema: JsonSchema, field: string): Validator {
  const dialect = dialectOf(schema)
  return rejectInvalid(field, () => {
    const anonymous = withoutId(schema)
    assertValid(anonymous, dialect)
    const create = (): Validator =>
      toValidator(anonymous, flatCheck(anonymous) ?? compile(anonymous, dialect))
    if (mayNotCompile.test(JSON.stringify(anonymous))) return create()
    return lazily(() => rejectInvalid(field, create))
  })
}

/** Every schema passed to `compileOwnSchema`; scripts/bundle-cli.ts precompiles them. */
export const ownSchemas: Set<JsonSchema> = new Set()

/** The same for a schema that ships with Curfew and is therefore known to be valid. Call it once per schema, at module level. */
export function compileOwnSchema(schema: JsonSchema, field: string): Validator {
  ownSchemas.add(schema)
  return lazily(() =>
    rejectInvalid(field, () => {
      const precompiled = precompiledChecks.get(JSON.stringify(schema))?.()
      return toValidator(schema, precompiled ?? compile(withoutId(schema), dialectOf(schema)))
    }),
  )
}

function rejectInvalid<T>(field: string, create: () => T): T {
  try {
    return create()
  } catch (error) {
    throw invalidSchema(field, `not a valid JSON Schema: ${(error as Error).message}`, error)
  }
}

/** A copy, because two tools may have the same `$id`, and because the caller may change the original. */
function withoutId(schema: JsonSchema): JsonSchema {
  const { $id: _, $schema: __, ...anonymous } = structuredClone(schema)
  return anonymous
}

/**
 * Loads what compiling this schema needs. Before a compilation with a time limit: a module that was stopped while it loaded would stay
 * broken.
 */
export function loadSchemaCompiler(schema: JsonSchema): void {
  const dialect = dialectOf(schema)
  metaCheck(dialect)
  if (flatCheck(schema) === null) ajvInstance(dialect, refersToMetaSchema(schema))
}

function metaCheck(dialect: Dialect): SchemaCheck {
  return precompiledChecks.get(dialect)?.() ?? ajvInstance(dialect, true).getSchema(metaSchemaIds[dialect])!
}

function refersToMetaSchema(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('//json-schema.org/')
}

function assertValid(schema: JsonSchema, dialect: Dialect): void {
  const check = metaCheck(dialect)
  if (check(schema)) return
  throw new Error(check.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', '))
}

function lazily(create: () => Validator): Validator {
  let validate: Validator | undefined
  return (params) => {
    validate ??= create()
    return validate(params)
  }
}

function compile(schema: JsonSchema, dialect: Dialect): SchemaCheck {
  const ajv = ajvInstance(dialect, refersToMetaSchema(schema))
  const check = ajv.compile(schema)
  // Ajv would otherwise keep the schemas of unregistered tools in memory.
  ajv.removeSchema(schema)
  // An asynchronous schema returns a promise, which would count as valid.
  if ('$async' in check) throw new Error('$async is not supported')
  return check
}

function toValidator(schema: JsonSchema, check: SchemaCheck): Validator {
  const fillsDefaults = JSON.stringify(schema).includes('"default":')
  return (params) => {
    const checked = fillsDefaults ? clone(params) : params
    if (check(checked)) return { ok: true, params: checked }
    return { ok: false, issues: (check.errors ?? []).map(toIssue), params: checked }
  }
}

/** Most arguments are flat and need no deep copy, which is slow. */
function clone(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return structuredClone(params)
  for (const value of Object.values(params)) {
    if (typeof value === 'object' ? value !== null : typeof value === 'function')
      return structuredClone(params)
  }
  return { ...params }
}

function toIssue(error: ErrorObject): ParameterIssue {
  const keys = error.instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const params = error.params as Record<string, unknown>
  if (error.keyword === 'required') {
    return { path: joinPath([...keys, String(params.missingProperty)]), message: 'is required' }
  }
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties') {
    const extra = params.additionalProperty ?? params.unevaluatedProperty
    const known = Object.keys(Object(error.parentSchema?.properties))
    return {
      path: joinPath([...keys, String(extra)]),
      message: 'is not a parameter of this tool',
      knownKeys: known,
    }
  }
  if (error.keyword === 'enum') {
    const allowed = (params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')
    return { path: joinPath(keys), message: `must be one of ${allowed}` }
  }
  return { path: joinPath(keys), message: error.message ?? `does not satisfy ${error.keyword}` }
}
