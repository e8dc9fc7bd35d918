import { toUSVString } from 'node:util'
import { CurfewError } from '@curfew/core'
import { stringifyValue } from './stringify-value.ts'
import { fillTemplate, parseTemplate, placeholderSecret, type Template } from './template.ts'

/** A URL with a fixed host, and placeholders for parameters and secrets in its path and query. */
export interface UrlTemplate {
  readonly origin: string
  /** With its port, unless it is the default port. */
  readonly host: string
  readonly path: Template
  /** With its question mark; empty if there is none. */
  readonly query: Template
}

export interface FilledUrl {
  /** With the query. */
  readonly path: string
  /** The path for messages: without the query, and with the names of secrets instead of their values. */
  readonly displayPath: string
}

/** Values for the placeholders of a URL. */
export interface UrlValues {
  readonly params: Readonly<Record<string, unknown>>
  /** Parameters that may be empty in the path. */
  readonly optional: ReadonlySet<string>
  /** Returns the value of a secret. Throws if it cannot be part of a path. */
  secret(name: string): string
}

const shape = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/i
const dotSegment = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)/

/** Returns a problem as a string if the URL is invalid. */
export function parseUrlTemplate(url: string): UrlTemplate | string {
  const [whole, scheme, authority, path, query = '', fragment] = shape.exec(url) ?? []
  if (whole === undefined) return 'must start with https:// or http://, without {x}'
  // A URL parser drops or converts some of these, so the URL that is sent would not be the one that was checked.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are intended
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return 'contains a space, a backslash or a control character'
  if (authority!.includes('{'))
    return 'has {x} in its host; the host must be fixed, because it may be sent secrets'
  if (authority!.includes('@')) return 'contains credentials; use "auth" with the name of a secret'
  if (!URL.canParse(`${scheme}://${authority}`)) return `has an invalid host: ${JSON.stringify(authority)}`
  if (fragment !== undefined) return 'has a fragment after #, which is never sent'
  const [pathTemplate, queryTemplate] = [parseTemplate(path === '' ? '/' : path!), parseTemplate(query)]
  if (pathTemplate === null || queryTemplate === null)
    return 'has a brace that is not part of {x} or {secret:NAME}'
  if (hasDotSegment(path!)) return 'has a . or .. segment in its path'
  const { origin, host } = new URL(`${scheme}://${authority}`)
  return { origin, host, path: pathTemplate.map(escapeLiteral), query: queryTemplate.map(escapeLiteral) }
}

/**
 * Fills in the escaped values. A value can neither add nor leave a segment, nor start a query. An empty optional parameter leaves
 * its segment empty, as in `/items/`.
 */
export function fillUrl({ path, query }: UrlTemplate, values: UrlValues): FilledUrl {
  const filled = fillPath(path, (name) => segmentOf(name, values))
  if (hasDotSegment(filled)) {
    const field = path.find((part, index) => index % 2 === 1 && placeholderSecret(part) === null) ?? ''
    throw unusable(field, 'the path would contain . or .. as a segment')
  }
  const filledQuery = fillTemplate(query, (name) => {
    const secret = placeholderSecret(name)
    return escapeValue(secret === null ? stringifyValue(values.params[name] ?? '') : values.secret(secret))
  })
  const displayPath = fillPath(path, (name) => {
    const secret = placeholderSecret(name)
    return secret === null ? segmentOf(name, values) : `[secret ${secret}]`
  })
  return { path: filled + filledQuery, displayPath }
}

export function escapeValue(text: string): string {
  return encodeURIComponent(toUSVString(text))
}

/** Keeps `:` and other characters that a path allows, because some servers compare the path literally. */
export function escapeSecret(value: string): string {
  return encodeURI(toUSVString(value)).replace(/[/?#]/g, encodeURIComponent)
}

function segmentOf(name: string, { params, optional, secret }: UrlValues): string {
  const secretName = placeholderSecret(name)
  if (secretName !== null) return escapeSecret(secret(secretName))
  const value = params[name] ?? ''
  const values = Array.isArray(value) ? value.map(stringifyValue) : [stringifyValue(value)]
  const text = values.join(',')
  if (text === '' && !optional.has(name)) throw unusable(name, 'it is part of the path and must not be empty')
  if (dotSegment.test(text))
    throw unusable(name, 'it is part of the path and must not contain . or .. as a segment')
  return values.map(escapeValue).join(',')
}

/** Drops an empty first segment, because some servers and proxies interpret what follows `//` as a host. */
function fillPath(path: Template, valueFor: (name: string) => string): string {
  const filled = fillTemplate(path, valueFor)
  return path[0]!.startsWith('//') ? filled : filled.replace(/^\/{2,}/, '/')
}

function hasDotSegment(path: string): boolean {
  return dotSegment.test(path.replaceAll(/%2e/gi, '.'))
}

function escapeLiteral(text: string, index: number): string {
  return index % 2 === 1 ? text : encodeURI(toUSVString(text)).replaceAll('%25', '%')
}

function unusable(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_PARAMS', `${field} cannot be used: ${problem}`, { field })
}
