import type { SchemaCheck } from './schema-check.ts'

/**
 * Checks that were compiled at build time: of a dialect's meta-schema, by the dialect's name; of a schema of our own, by its JSON.
 * Empty in the sources: scripts/precompile-schemas.ts generates the built module, and a longer one for the `curfew` bundle.
 */
export const precompiledChecks: ReadonlyMap<string, SchemaCheck> = new Map()
