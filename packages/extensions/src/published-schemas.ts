import type { JsonSchema } from '@curfew/core'
import { approvalsFileSchema } from './config/approvals-file.ts'
import { configFileSchema } from './config/config-schema.ts'
import { scriptFileSchema } from './script/script-file.ts'

/** The JSON Schema of `config.json`. */
export const configSchema: JsonSchema = published(configFileSchema)

/** The JSON Schema of `approvals.json`. */
export const approvalsSchema: JsonSchema = published(approvalsFileSchema)

/** The JSON Schema of a script's `tool.json`. */
export const scriptSchema: JsonSchema = published(scriptFileSchema)

/** Declares the dialect that all editors support. */
function published(schema: JsonSchema): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
}
