import { createRequire } from 'node:module'
import type { Ajv, Options } from 'ajv'
import { boundedPattern } from './bounded-pattern.ts'
import type { JsonSchema } from './json-schema.ts'

const require = createRequire(import.meta.url)

export const dialects = ['draft-07', '2020-12'] as const
export type Dialect = (typeof dialects)[number]

export const metaSchemaIds: Readonly<Record<Dialect, string>> = {
  'draft-07': 'http://json-schema.org/draft-07/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
}

export const ajvOptions: Options = {
  // Real MCP servers publish keywords and formats that strict mode rejects.
  strict: false,
  useDefaults: true,
  allErrors: true,
  // Errors then include the schema they come from.
  verbose: true,
  validateFormats: false,
  // Compiling a meta-schema takes longer than everything else, and precompiled checks replace it.
  validateSchema: false,
  logger: false,
  // `code` is the expression for it in generated code: see scripts/precompile-schemas.ts.
  code: { regExp: Object.assign(boundedPattern, { code: 'boundedPattern' }) },
}

const instances = new Map<string, Ajv>()

/**
 * Ajv takes about 30 ms to load, so it is loaded only when a schema has to be compiled. `meta` makes the meta-schemas available, which
 * takes a few milliseconds more.
 */
export function ajvInstance(dialect: Dialect, meta: boolean): Ajv {
  const key = `${dialect} ${meta}`
  let instance = instances.get(key)
  if (instance === undefined) {
    instance = createAjv(dialect, { meta })
    instances.set(key, instance)
  }
  return instance
}

export function createAjv(dialect: Dialect, overrides: Options = {}): Ajv {
  // Literal specifiers, so that a bundler finds them.
  const module: unknown = dialect === 'draft-07' ? require('ajv') : require('ajv/dist/2020.js')
  const { default: Class } = module as { default: new (options: Options) => Ajv }
  return new Class({ ...ajvOptions, ...overrides })
}

export function dialectOf(schema: JsonSchema): Dialect {
  return String(schema.$schema ?? '').includes('draft-07') ? 'draft-07' : '2020-12'
}
