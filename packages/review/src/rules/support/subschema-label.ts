import { quote } from '../../language/printable.ts'
import type { Subschema } from '../../schema/walk-schema.ts'

/** How messages refer to a schema: `the schema`, `parameter "city"`, `the subschema at /inputSchema/...`. */
export function subschemaLabel({ kind, name, pointer }: Subschema): string {
  if (kind === 'root') return 'the schema'
  return kind === 'property' ? `parameter ${quote(name)}` : `the subschema at ${pointer}`
}
