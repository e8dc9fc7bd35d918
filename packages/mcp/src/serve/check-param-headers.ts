import type { IncomingHttpHeaders } from 'node:http'
import type { Rejection } from './send-response.ts'

const headerMismatch = -32020
const numberShape = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
const base64Shape = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const encodedShape = /^=\?base64\?(.*)\?=$/

interface Declaration {
  readonly path: readonly string[]
  /** The header is `Mcp-Param-` followed by this. */
  readonly suffix: string
}

const known = new WeakMap<object, readonly Declaration[]>()

/**
 * In the 2026 protocol, a tool may require arguments to be repeated in headers (`x-mcp-header` in its schema), so that proxies can
 * act on them. Headers and arguments must match: otherwise a proxy would decide about a different call.
 */
export function checkParamHeaders(
  schema: unknown,
  args: unknown,
  headers: IncomingHttpHeaders,
): Rejection | null {
  if (typeof schema !== 'object' || schema === null) return null
  for (const { path, suffix } of declarationsOf(schema)) {
    const value = valueAt(args, path)
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue
    const name = `Mcp-Param-${suffix}`
    const header = headers[name.toLowerCase()]
    if (typeof header !== 'string') return mismatch(`the header ${name} for ${path.join('.')} is missing`)
    const decoded = decode(header)
    if (decoded === null) return mismatch(`the header ${name} is not valid Base64`)
    const same =
      typeof value === 'number' && numberShape.test(decoded)
        ? Number(decoded) === value
        : decoded === String(value)
    if (!same) return mismatch(`the header ${name} differs from ${path.join('.')}`)
  }
  return null
}

function declarationsOf(schema: object): readonly Declaration[] {
  let declarations = known.get(schema)
  if (declarations === undefined) {
    declarations = [...declared(schema)]
    known.set(schema, declarations)
  }
  return declarations
}

/** Searches `properties` only, without recursion: the schema comes from a server and may be deeply nested. */
function* declared(schema: object): Generator<Declaration> {
  const open: { schema: object; path: readonly string[] }[] = [{ schema, path: [] }]
  const seen = new Set<object>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next.schema)) continue
    seen.add(next.schema)
    const properties: unknown = 'properties' in next.schema ? next.schema.properties : undefined
    if (typeof properties !== 'object' || properties === null) continue
    for (const [key, property] of Object.entries(properties)) {
      if (typeof property !== 'object' || property === null) continue
      const path = [...next.path, key]
      const suffix: unknown = property['x-mcp-header']
      if (typeof suffix === 'string' && suffix !== '') yield { path, suffix }
      open.push({ schema: property, path })
    }
  }
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Values that a header cannot contain are encoded as `=?base64?...?=`. Returns `null` if the encoding is invalid. */
function decode(value: string): string | null {
  const encoded = encodedShape.exec(value)?.[1]
  if (encoded === undefined) return value
  return base64Shape.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : null
}

function mismatch(problem: string): Rejection {
  return { status: 400, code: headerMismatch, message: `Headers and body do not match: ${problem}.` }
}
