import { clip, quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asSchema, isRecord, ownValue } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
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

export function* schemaSize(tool: ReviewedTool): Generator<Problem> {
  const { cutAt } = walkSchema(tool)
  if (cutAt === undefined) return
  const message = `the schema is too deep or too large; it was not reviewed from ${clip(cutAt, 200)} on`
  yield { pointer: cutAt, message }
}

/** Ways in which descriptions document a parameter. */
const documented =
  /^[ \t]{0,20}(?:args|arguments|parameters|params|inputs?)[ \t]?:[ \t]{0,5}(?![ \t]{0,5}(?:none|no\b|n\/a|\{\s*\}|-))[^\s].{0,60}|^[ \t]{0,20}(?:args|arguments|parameters|params):[ \t]{0,5}\n[ \t]{0,20}[-*]?[ \t]{0,5}[`"']?\w+[^\n]{0,60}|@param\s+\S.{0,40}|[`"']\w{1,40}[`"'] {0,2}\((?:string|number|integer|boolean|array|object|required|optional)\b[^)]{0,40}\)/im

/** The tool can be called, but not with what it needs. */
export function* emptySchema(tool: ReviewedTool): Generator<Problem> {
  const schema = asSchema(tool.inputSchema)
  if (Object.keys(asSchema(ownValue(schema, 'properties'))).length > 0) return
  if (['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties'].some((key) => Object.hasOwn(schema, key)))
    return
  const found = documented.exec((tool.description ?? '').slice(0, 20_000))?.[0]
  if (found === undefined) return
  const message = `the schema has no parameters, but the description names some: ${quote(found.trim())}`
  yield { pointer: '/inputSchema', message }
}
