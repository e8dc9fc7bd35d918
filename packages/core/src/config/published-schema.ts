import type { JsonSchema } from '../schema/json-schema.ts'
import { configFileSchema } from './config-schema.ts'

/** As editors want it: the dialect that all of them know is named. */
export function published(schema: JsonSchema): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
}

/** What `config.json` may contain, as JSON Schema. */
export const configSchema: JsonSchema = published(configFileSchema)
