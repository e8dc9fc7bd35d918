import type { Rule } from '../review-types.ts'
import { asSchema, isRecord, own } from '../schema/schema.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword, shown } from './support/fragment.ts'

/** MCP and every model's interface want an object of parameters. */
export const schemaRoot: Rule = defineRule(
  'schema-root',
  'error',
  'The schema is an object of parameters.',
  function* (tool) {
    const raw: unknown = tool.inputSchema
    const isSchema = isRecord(raw)
    const type = own(asSchema(raw), 'type')
    if (isSchema && type === 'object') return
    const pointer = '/inputSchema'
    const rewrite = isSchema
      ? keyword('type', 'object')
      : '{ "type": "object", "properties": {}, "additionalProperties": false }'
    if (!isSchema) yield { pointer, message: `the schema is ${shown(raw)} and no object`, rewrite }
    else if (type === undefined) {
      const fix = { pointer: `${pointer}/type`, value: 'object' }
      yield { pointer, message: 'the schema does not say that it is an object', rewrite, fix }
    } else
      yield { pointer, message: `the schema has the type ${shown(type)}; parameters are an object`, rewrite }
  },
)
