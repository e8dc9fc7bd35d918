import type { JsonSchema } from '@curfew/core'
import { compileJsonSchema } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { apiFileSchema } from './api/api-file.ts'
import { approvalsFileSchema } from './config/approvals-file.ts'
import { configFileSchema } from './config/config-schema.ts'
import { scriptFileSchema } from './script/script-file.ts'

const schemas: readonly (readonly [string, JsonSchema])[] = [
  ['config.json', configFileSchema],
  ['approvals.json', approvalsFileSchema],
  ['tool.json', scriptFileSchema],
  ['an API file', apiFileSchema],
]
test.each(schemas)('our own schema for %s is a valid JSON Schema', (_, schema) => {
  expect(() => compileJsonSchema(schema, 'schema')).not.toThrow()
})
