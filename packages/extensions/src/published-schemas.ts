import type { JsonSchema } from '@curfew/core'
import { configFileSchema } from './config/config-schema.ts'
import { scriptFileSchema } from './script/script-file.ts'

/** What `config.json` may contain, as JSON Schema. */
export const configSchema: JsonSchema = published(configFileSchema)

/** What the `tool.json` of a script may contain. */
export const scriptSchema: JsonSchema = published(scriptFileSchema)

/** Names the dialect that all editors know. */
function published(schema: JsonSchema): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
}
