import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { ResultPart } from './result-part.ts'

const maxParts = 100
/** Of all data and text, in characters: below the limits of a thread and of an MCP message. */
const maxLength = 8 << 20
const maxNameLength = 255

type Check = (value: unknown) => string | null

interface Field {
  readonly check: Check
  readonly required: boolean
}

const text: Check = (value) => (typeof value === 'string' ? null : 'a string')
const shortText: Check = (value) =>
  typeof value === 'string' && value !== '' && value.length <= maxNameLength
    ? null
    : `1 to ${maxNameLength} characters`
const base64: Check = (value) =>
  typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
    ? null
    : "a base64 string, such as Buffer.from(bytes).toString('base64')"
const mediaType =
  (kind: string, example: string): Check =>
  (value) =>
    typeof value === 'string' &&
    value.length <= maxNameLength &&
    mediaTypePattern.test(value) &&
    value.startsWith(kind)
      ? null
      : `a media type such as ${example}`
const uri: Check = (value) =>
  typeof value === 'string' && URL.canParse(value) ? null : 'a URI such as https://example.com/a or file:///a'
const fileName: Check = (value) =>
  typeof value === 'string' &&
  value.length <= maxNameLength &&
  /^[^\p{C}/\\]+$/u.test(value) &&
  !/^\.+$/.test(value)
    ? null
    : 'a file name without a path'
const mediaTypePattern = /^[\w.+-]+\/[\w.+-]+(;[ -~]*)?$/

const required = (check: Check): Field => ({ check, required: true })
const optional = (check: Check): Field => ({ check, required: false })

/** The fields of each type besides `type`. */
const fields: Readonly<Record<ResultPart['type'], Readonly<Record<string, Field>>>> = {
  text: { text: required(text) },
  image: { data: required(base64), mediaType: required(mediaType('image/', 'image/png')) },
  audio: { data: required(base64), mediaType: required(mediaType('audio/', 'audio/wav')) },
  file: {
    data: required(base64),
    mediaType: required(mediaType('', 'application/pdf')),
    name: optional(fileName),
  },
  resource: {
    uri: required(uri),
    title: optional(shortText),
    mediaType: optional(mediaType('', 'text/plain')),
    text: optional(text),
    data: optional(base64),
  },
}

/** Copies and validates the parts of a result. Throws `INVALID_RESULT` and names the field. */
export function checkParts(parts: unknown): readonly ResultPart[] {
  if (!Array.isArray(parts)) throw unexpected('parts', 'an array', parts)
  const count = parts.length
  if (count > maxParts) throw invalid('parts', `expected at most ${maxParts}, got ${count}`)
  const copies: Readonly<Record<string, string>>[] = []
  let length = 0
  for (let index = 0; index < count; index++) {
    const copy = checkPart(parts[index], `parts[${index}]`)
    for (const value of Object.values(copy)) length += value.length
    copies.push(copy)
  }
  if (length > maxLength) {
    throw invalid(
      'parts',
      `expected at most ${inMiB(maxLength)} MiB of text and base64, got ${inMiB(length)} MiB; write a file and return a resource part with its uri`,
    )
  }
  return Object.freeze(copies) as readonly object[] as readonly ResultPart[]
}

function checkPart(part: unknown, at: string): Readonly<Record<string, string>> {
  if (typeof part !== 'object' || part === null) throw unexpected(at, 'an object with a type', part)
  const source = part as Record<string, unknown>
  const { type } = source
  if (typeof type !== 'string' || !Object.hasOwn(fields, type)) {
    throw unexpected(`${at}.type`, `one of ${Object.keys(fields).join(', ')}`, type)
  }
  const known = fields[type as ResultPart['type']]
  for (const name of Object.keys(source)) {
    if (name === 'type' || Object.hasOwn(known, name)) continue
    const hint = didYouMean(name, Object.keys(known)) || `known fields: ${Object.keys(known).join(', ')}`
    throw invalid(`${at}.${name}`, `unknown field; ${hint}`)
  }
  const copy: Record<string, string> = { type }
  for (const [name, { check, required }] of Object.entries(known)) {
    const value = source[name]
    if (value === undefined && !required) continue
    const expected = check(value)
    if (expected !== null) throw unexpected(`${at}.${name}`, expected, value)
    copy[name] = value as string
  }
  if (copy.text !== undefined && copy.data !== undefined)
    throw invalid(at, 'a resource has either text or data; remove one of them')
  return Object.freeze(copy)
}

function inMiB(length: number): number {
  return Math.ceil(length / 2 ** 20)
}

function unexpected(field: string, expected: string, got: unknown): CurfewError {
  return invalid(field, `expected ${expected}, got ${describeValue(got)}`)
}

function invalid(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_RESULT', `${field}: ${problem}`, { field })
}
