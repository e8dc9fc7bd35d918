import type { Finding } from './review-types.ts'
import { hints, reviewMetaKey } from './reviewed-tool.ts'
import { isRecord, own } from './schema/schema.ts'
import { readSuppressions } from './suppressions.ts'

const noParameters = '"inputSchema": { "type": "object", "properties": {}, "additionalProperties": false }'

/** The limit of the specification. */
const longestName = 128

/** What in an entry of `tools/list` is not what the protocol says. The rest is reviewed as if it were not there. */
export function checkDefinition(definition: unknown): readonly Finding[] {
  const findings: Finding[] = []
  const report = (pointer: string, message: string, rewrite: string): void => {
    findings.push({ rule: 'definition-shape', severity: 'error', message, rewrite, pointer })
  }
  if (!isRecord(definition)) {
    report(
      '',
      `the entry is ${kindOf(definition)}, not a definition`,
      '{ "name": "…", "inputSchema": { "type": "object" } }',
    )
    return findings
  }
  const name = own(definition, 'name')
  if (typeof name !== 'string' || name.trim() === '') {
    const what =
      name === undefined || name === '' ? 'the tool has no name' : `the name is ${kindOf(name)}, not a text`
    report('/name', what, '"name": "get_weather"')
  } else if (name.length > longestName) {
    const message = `the name has ${name.length} characters; the protocol allows ${longestName}`
    report('/name', message, '"name": "get_weather"')
  }
  for (const key of ['title', 'description'] as const) {
    const value = own(definition, key)
    if (value === undefined || typeof value === 'string') continue
    report(`/${key}`, `the ${key} is ${kindOf(value)}, not a text`, `"${key}": "…"`)
  }
  const inputSchema = own(definition, 'inputSchema')
  if (inputSchema === undefined) report('/inputSchema', 'the inputSchema is missing', noParameters)
  else if (!isRecord(inputSchema))
    report('/inputSchema', `the inputSchema is ${kindOf(inputSchema)}, not an object`, noParameters)
  const outputSchema = own(definition, 'outputSchema')
  if (outputSchema !== undefined && !isRecord(outputSchema))
    report(
      '/outputSchema',
      `the outputSchema is ${kindOf(outputSchema)}, not an object`,
      '"outputSchema": { "type": "object" }',
    )
  checkHints(own(definition, 'annotations'), report)
  const meta = own(own(definition, '_meta'), reviewMetaKey)
  return [...findings, ...readSuppressions(meta).findings]
}

function checkHints(
  annotations: unknown,
  report: (pointer: string, message: string, rewrite: string) => void,
): void {
  if (annotations === undefined) return
  if (!isRecord(annotations)) {
    report(
      '/annotations',
      `the annotations are ${kindOf(annotations)}, not an object`,
      '"annotations": { "readOnlyHint": false }',
    )
    return
  }
  for (const hint of hints) {
    const value = own(annotations, hint)
    if (value === undefined || typeof value === 'boolean') continue
    const meant = value === 1 || /^(true|yes|1)$/i.test(String(value).slice(0, 5))
    report(`/annotations/${hint}`, `${hint} is ${kindOf(value)}, not true or false`, `"${hint}": ${meant}`)
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'a text'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
