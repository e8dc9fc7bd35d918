import type { SchemaCheck } from './schema-check.ts'

/**
 * Checks that were compiled at build time: for meta-schemas, by dialect; for Curfew's own schemas, by their JSON.
 * Empty in the sources: scripts/precompile-schemas.ts generates the built module, and a longer one for the `curfew` bundle.
 */
export const precompiledChecks: ReadonlyMap<string, SchemaCheck> = new Map()
