import type { ReviewedTool } from '../review-types.ts'
import { asSchema, isRecord, ownValue } from '../schema/schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'

/** MCP and all model APIs require an object. */
export function* schemaRoot(tool: ReviewedTool): Generator<Problem> {
  const raw: unknown = tool.inputSchema
  const isSchema = isRecord(raw)
  const type = ownValue(asSchema(raw), 'type')
  if (isSchema && type === 'object') return
  const pointer = '/inputSchema'
  if (!isSchema) yield { pointer, message: `the schema is ${formatValue(raw)}, not an object` }
  else if (type === undefined) {
    const hasProperties = isRecord(ownValue(asSchema(raw), 'properties'))
    const message = `the schema does not declare "type": "object"${hasProperties ? '' : ', and lists no properties'}`
    const fix = { pointer: `${pointer}/type`, value: 'object' }
    yield { pointer, message, ...(hasProperties && { rewrite: formatKeyword('type', 'object'), fix }) }
  } else yield { pointer, message: `the schema has the type ${formatValue(type)} instead of "object"` }
}
