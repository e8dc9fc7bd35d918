import type { SchemaCheck } from './schema-check.ts'

/**
 * Checks that were compiled at build time: for meta-schemas, by dialect; for Curfew's own schemas, by their JSON.
 * Functions, because the `curfew` bundle loads each check on first use. Empty in the sources: scripts/precompile-schemas.ts generates the
 * built module, and a longer one for the bundle.
 */
export const precompiledChecks: ReadonlyMap<string, () => SchemaCheck> = new Map()
