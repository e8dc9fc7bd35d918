import { quote } from '../../language/printable.ts'
import type { SchemaPlace } from '../../schema/schema-places.ts'

/** What a message calls a schema: `the schema`, `parameter "city"`, `the part at /inputSchema/...`. */
export function placeName({ kind, name, pointer }: SchemaPlace): string {
  if (kind === 'root') return 'the schema'
  return kind === 'property' ? `parameter ${quote(name)}` : `the part at ${pointer}`
}
