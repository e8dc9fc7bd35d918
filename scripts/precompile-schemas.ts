import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { JsonSchema } from '@curfew/core'
import type { Plugin } from 'rolldown'
import {
  ajvOptions,
  createAjv,
  dialectOf,
  dialects,
  metaSchemaIds,
} from '../packages/core/dist/schema/ajv-instance.js'

const require = createRequire(new URL('../packages/core/package.json', import.meta.url))
const { default: standaloneCode } =
  require('ajv/dist/standalone') as typeof import('ajv/dist/standalone/index.js')

/** The module that this plugin replaces. */
export const checksModule: string = builtFile('precompiled-checks.js')

/**
 * Replaces the core's `precompiled-checks` with generated code, so that validating needs no compiler: for the meta-schemas, and for
 * `ownSchemas` as they are passed to `compileOwnSchema`.
 */
export function precompiledSchemas(ownSchemas: readonly JsonSchema[] = []): Plugin {
  const checks = [
    ...dialects.map((dialect) => ({ key: dialect as string, code: metaSchemaCode(dialect) })),
    ...ownSchemas.map((schema) => ({ key: JSON.stringify(schema), code: ownSchemaCode(schema) })),
  ]
  return {
    name: 'precompiled-schemas',
    resolveId: (id) => (id.startsWith('check:') ? `\0${id}` : null),
    load(id) {
      if (id === checksModule) return listChecks(checks.map(({ key }) => key))
      if (!id.startsWith('\0check:')) return null
      return checks[Number(id.slice('\0check:'.length))]!.code
    },
  }
}

function listChecks(keys: readonly string[]): string {
  const imports = keys.map((_, index) => `import check${index} from 'check:${index}'\n`)
  const entries = keys.map((key, index) => `  [${JSON.stringify(key)}, () => check${index}],\n`)
  return `${imports.join('')}export const precompiledChecks = new Map([\n${entries.join('')}])\n`
}

function metaSchemaCode(dialect: (typeof dialects)[number]): string {
  const ajv = createAjv(dialect, { verbose: false, useDefaults: false, code: { source: true, esm: true } })
  return standaloneCode(ajv, ajv.getSchema(metaSchemaIds[dialect]))
}

function ownSchemaCode(schema: JsonSchema): string {
  const ajv = createAjv(dialectOf(schema), { code: { ...ajvOptions.code, source: true, esm: true } })
  const { $id: _, $schema: __, ...anonymous } = schema
  const code = standaloneCode(ajv, ajv.compile(anonymous))
  return `import { boundedPattern } from ${JSON.stringify(builtFile('bounded-pattern.js'))}\n${code}`
}

function builtFile(name: string): string {
  return fileURLToPath(new URL(`../packages/core/dist/schema/${name}`, import.meta.url))
}
