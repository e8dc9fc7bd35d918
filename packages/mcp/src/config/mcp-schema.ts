import type { JsonSchema } from '@curfew/core'
import { mcpFileSchema } from './server-file.ts'

/** What `mcp.json` may contain, as JSON Schema, in the dialect that all editors know. */
export const mcpSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...mcpFileSchema,
}
