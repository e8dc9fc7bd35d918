import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv'
import { boundedPattern } from './bounded-pattern.ts'
import type { ParameterIssue, Validation } from './compile-schema.ts'
import { invalidSchema, joinPath } from './compile-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const require = createRequire(import.meta.url)

// Not strict: real MCP servers publish keywords and formats that strict mode rejects.
const options: Options = {
  strict: false,
  useDefaults: true,
  allErrors: true,
  // Errors then carry the schema that they come from.
  verbose: true,
  validateFormats: false,
  // Foreign schemas are looked at below; to compile the schema of schemas takes longer than all the rest.
  validateSchema: false,
  logger: false,
  // It also wants to know how the function would be written in code, which is never generated here.
  code: { regExp: Object.assign(boundedPattern, { code: '' }) },
}

type Dialect = 'draft-07' | '2020-12'
const validators = new Map<Dialect, Ajv>()

type Validator = (params: unknown) => Validation

/** A validator that fills in defaults in a copy and never changes a type. */
export function compileJsonSchema(schema: JsonSchema, field: string): Validator {
  return compile(schema, field, true)
}

/** The same for a schema that comes with Curfew, and so is a good one: it is compiled when it is first needed. */
export function compileOwnSchema(schema: JsonSchema, field: string): Validator {
  let validate: Validator | undefined
  return (params) => {
    validate ??= compile(schema, field, false)
    return validate(params)
  }
}

function compile(schema: JsonSchema, field: string, isForeign: boolean): Validator {
  const ajv = ajvFor(schema)
  let check: ValidateFunction
  try {
    // A clone, without $id: two tools may well carry the same one.
    const { $id: _, $schema: __, ...anonymous } = structuredClone(schema)
    if (isForeign) ajv.validateSchema(anonymous, true)
    check = ajv.compile(anonymous)
    // Ajv would keep every schema for ever; tools come and go.
    ajv.removeSchema(anonymous)
  } catch (error) {
    throw invalidSchema(field, `not a valid JSON Schema: ${(error as Error).message}`, error)
  }
  // An asynchronous schema answers with a promise, which would pass for a yes.
  if ('$async' in check) throw invalidSchema(field, '$async is not supported')
  const fillsDefaults = JSON.stringify(schema).includes('"default":')
  return (params) => {
    const checked = fillsDefaults ? clone(params) : params
    if (check(checked)) return { ok: true, params: checked }
    return { ok: false, issues: (check.errors ?? []).map(toIssue), params: checked }
  }
}

/** Most arguments are flat, and need no deep copy, which takes long. */
function clone(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return structuredClone(params)
  for (const value of Object.values(params)) {
    if (typeof value === 'object' ? value !== null : typeof value === 'function')
      return structuredClone(params)
  }
  return { ...params }
}

/** Ajv costs about 30 ms to load, so only those who pass JSON Schema pay for it. */
function ajvFor(schema: JsonSchema): Ajv {
  const dialect: Dialect = String(schema.$schema ?? '').includes('draft-07') ? 'draft-07' : '2020-12'
  let ajv = validators.get(dialect)
  if (ajv === undefined) {
    const module = require(dialect === 'draft-07' ? 'ajv' : 'ajv/dist/2020.js') as {
      default: new (o: Options) => Ajv
    }
    ajv = new module.default(options)
    validators.set(dialect, ajv)
  }
  return ajv
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
      unknownAmong: known,
    }
  }
  if (error.keyword === 'enum') {
    const allowed = (params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')
    return { path: joinPath(keys), message: `must be one of ${allowed}` }
  }
  return { path: joinPath(keys), message: error.message ?? `breaks ${error.keyword}` }
}
