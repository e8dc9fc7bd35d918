import type { Finding } from './review-types.ts'
import { isRecord, ownValue } from './schema/schema.ts'

/** The limit of the MCP specification. */
const maxNameLength = 128

export const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

type Report = (pointer: string, message: string, rewrite?: string) => void

/** Checks the shape of a `tools/list` entry against the protocol. Invalid fields are reviewed as if they were missing. */
export function checkDefinition(definition: unknown): readonly Finding[] {
  const findings: Finding[] = []
  const report: Report = (pointer, message, rewrite) => {
    const shape = { rule: 'definition-shape', severity: 'error' } as const
    findings.push({ ...shape, message, rewrite: rewrite ?? null, pointer, count: 1 })
  }
  if (!isRecord(definition)) {
    report('', `expected a tool definition, got ${kindOf(definition)}`)
    return findings
  }
  checkName(ownValue(definition, 'name'), report)
  for (const key of ['title', 'description'] as const) {
    const value = ownValue(definition, key)
    if (value === undefined || typeof value === 'string') continue
    report(`/${key}`, `${key}: expected a string, got ${kindOf(value)}`)
  }
  const inputSchema = ownValue(definition, 'inputSchema')
  if (inputSchema === undefined) report('/inputSchema', 'the inputSchema is missing')
  else if (!isRecord(inputSchema))
    report('/inputSchema', `inputSchema: expected an object, got ${kindOf(inputSchema)}`)
  const outputSchema = ownValue(definition, 'outputSchema')
  if (outputSchema !== undefined && !isRecord(outputSchema))
    report('/outputSchema', `outputSchema: expected an object, got ${kindOf(outputSchema)}`)
  checkHints(ownValue(definition, 'annotations'), report)
  return findings
}

function checkName(name: unknown, report: Report): void {
  if (name === undefined || name === '') report('/name', 'the tool has no name')
  else if (typeof name !== 'string') report('/name', `name: expected a string, got ${kindOf(name)}`)
  else if (name.trim() === '') report('/name', 'the name is blank')
  else if (name.length > maxNameLength)
    report('/name', `the name has ${name.length} characters; the protocol allows ${maxNameLength}`)
}

function checkHints(annotations: unknown, report: Report): void {
  if (annotations === undefined) return
  if (!isRecord(annotations)) {
    report('/annotations', `annotations: expected an object, got ${kindOf(annotations)}`)
    return
  }
  for (const hint of hints) {
    const value = ownValue(annotations, hint)
    if (value === undefined || typeof value === 'boolean') continue
    const message = `${hint}: expected true or false, got ${kindOf(value)}`
    const isCertain = value === 'true' || value === 'false'
    report(`/annotations/${hint}`, message, isCertain ? `"${hint}": ${value}` : undefined)
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
