import { asArray, ownValue, type Schema } from '../../schema/schema.ts'

const defaultPhrase =
  /\bdefault(?:s|ing)?(?: value)?(?:\s+(?:is|to|of))?\s*[:=]?\s*(?:"([^"]{0,80})"|'([^']{0,80})'|`([^`]{0,80})`|([^\s,;()]{1,80}))/i
const notValues = new Set([
  'none',
  'null',
  'nothing',
  'unset',
  'undefined',
  'unlimited',
  'the',
  'a',
  'an',
  'no',
  'not',
])

/** The default that a description mentions, in the declared type: 30 for `defaults to 30`. */
export function documentedDefault(schema: Schema, types: readonly string[]): unknown {
  const description = ownValue(schema, 'description')
  if (typeof description !== 'string') return undefined
  const [, double, single, code, bare] = defaultPhrase.exec(description.slice(0, 2_000)) ?? []
  const quoted = double ?? single ?? code
  const text = quoted ?? bare?.replace(/[.:!?]+$/, '')
  if (text === undefined || (quoted === undefined && notValues.has(text.toLowerCase()))) return undefined
  const choices = asArray(ownValue(schema, 'enum')).slice(0, 1_000)
  if (choices.length > 0) return choices.find((choice) => String(choice).toLowerCase() === text.toLowerCase())
  if (types.includes('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (types.includes('integer') && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (types.includes('number') && /^-?\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  return types.includes('string') ? text : undefined
}
