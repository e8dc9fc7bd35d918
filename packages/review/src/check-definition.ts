import type { Finding } from './review-types.ts'
import { isRecord, ownValue } from './schema/schema.ts'

const noParameters = '"inputSchema": { "type": "object", "properties": {}, "additionalProperties": false }'

/** The limit of the MCP specification. */
const maxNameLength = 128

export const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

type Report = (pointer: string, message: string, rewrite: string) => void

/** Checks the shape of a `tools/list` entry against the protocol. Invalid fields are reviewed as if they were missing. */
export function checkDefinition(definition: unknown): readonly Finding[] {
  const findings: Finding[] = []
  const report: Report = (pointer, message, rewrite) => {
    findings.push({ rule: 'definition-shape', severity: 'error', message, rewrite, pointer, count: 1 })
  }
  if (!isRecord(definition)) {
    report(
      '',
      `expected a tool definition, got ${kindOf(definition)}`,
      '{ "name": "…", "inputSchema": { "type": "object" } }',
    )
    return findings
  }
  checkName(ownValue(definition, 'name'), report)
  for (const key of ['title', 'description'] as const) {
    const value = ownValue(definition, key)
    if (value === undefined || typeof value === 'string') continue
    report(`/${key}`, `${key}: expected a string, got ${kindOf(value)}`, `"${key}": "…"`)
  }
  const inputSchema = ownValue(definition, 'inputSchema')
  if (inputSchema === undefined) report('/inputSchema', 'the inputSchema is missing', noParameters)
  else if (!isRecord(inputSchema))
    report('/inputSchema', `inputSchema: expected an object, got ${kindOf(inputSchema)}`, noParameters)
  const outputSchema = ownValue(definition, 'outputSchema')
  if (outputSchema !== undefined && !isRecord(outputSchema))
    report(
      '/outputSchema',
      `outputSchema: expected an object, got ${kindOf(outputSchema)}`,
      '"outputSchema": { "type": "object" }',
    )
  checkHints(ownValue(definition, 'annotations'), report)
  return findings
}

function checkName(name: unknown, report: Report): void {
  const rewrite = '"name": "get_weather"'
  if (name === undefined || name === '') report('/name', 'the tool has no name', rewrite)
  else if (typeof name !== 'string') report('/name', `name: expected a string, got ${kindOf(name)}`, rewrite)
  else if (name.trim() === '') report('/name', 'the name is blank', rewrite)
  else if (name.length > maxNameLength)
    report('/name', `the name has ${name.length} characters; the protocol allows ${maxNameLength}`, rewrite)
}

function checkHints(annotations: unknown, report: Report): void {
  if (annotations === undefined) return
  if (!isRecord(annotations)) {
    report(
      '/annotations',
      `annotations: expected an object, got ${kindOf(annotations)}`,
      '"annotations": { "readOnlyHint": false }',
    )
    return
  }
  for (const hint of hints) {
    const value = ownValue(annotations, hint)
    if (value === undefined || typeof value === 'boolean') continue
    const intended = value === 1 || /^(true|yes|1)$/i.test(String(value).slice(0, 5))
    report(
      `/annotations/${hint}`,
      `${hint}: expected true or false, got ${kindOf(value)}`,
      `"${hint}": ${intended}`,
    )
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
