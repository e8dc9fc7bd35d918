import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { asSchema, ownValue } from '../schema/schema.ts'
import { defineRule } from './support/define-rule.ts'

/** Ways in which descriptions document a parameter. */
const documented =
  /^\s*(?:args|arguments|parameters|params|inputs?)\s*:\s*(?!\s*(?:none|no\b|n\/a|\{\s*\}|-))[^\s].{0,60}|^\s*(?:args|arguments|parameters|params):\s*\n\s*[-*]?\s*[`"']?\w+[^\n]{0,60}|@param\s+\S.{0,40}|[`"']\w{1,40}[`"']\s*\((?:string|number|integer|boolean|array|object|required|optional)\b[^)]{0,40}\)/im

/** The tool can be called, but not with what it needs. */
export const emptySchema: Rule = defineRule(
  'empty-schema',
  'error',
  'Parameters that the text names are in the schema.',
  function* (tool) {
    const schema = asSchema(tool.inputSchema)
    if (Object.keys(asSchema(ownValue(schema, 'properties'))).length > 0) return
    if (['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties'].some((key) => Object.hasOwn(schema, key)))
      return
    const found = documented.exec((tool.description ?? '').slice(0, 20_000))?.[0]
    if (found === undefined) return
    const message = `the schema has no parameters, but the description names some: ${quote(found.trim())}`
    yield { pointer: '/inputSchema', message }
  },
)
