import type { JsonSchema } from '@curfew/core'
import { mcpFileSchema } from './server-file.ts'

/** The JSON Schema of `mcp.json`, in a dialect that all editors support. */
export const mcpSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...mcpFileSchema,
}
