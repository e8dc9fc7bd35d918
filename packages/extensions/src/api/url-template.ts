import { toUSVString } from 'node:util'
import { CurfewError } from '@curfew/core'
import { fill, parseTemplate, secretOf, type Template } from './template.ts'
import { textOf } from './text-of.ts'

/** A URL with a fixed host, and placeholders for parameters and secrets in its path and query. */
export interface UrlTemplate {
  readonly origin: string
  /** With its port, unless it is the usual one. */
  readonly host: string
  readonly path: Template
  /** With its question mark; empty if there is none. */
  readonly query: Template
}

export interface FilledUrl {
  /** With its query. */
  readonly path: string
  /** The path for messages: without the query, and with the names of secrets instead of their values. */
  readonly shown: string
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

/** Returns a text that says what is wrong with it, if something is. */
export function parseUrlTemplate(url: string): UrlTemplate | string {
  const [whole, scheme, authority, path, query = '', fragment] = shape.exec(url) ?? []
  if (whole === undefined) return 'must begin with https:// or http://, written out and without {x}'
  // A URL parser drops or turns some of these, so that what is checked would not be what is sent.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return 'contains a space, a backslash or a control character'
  if (authority!.includes('{'))
    return 'has {x} in its host; the host is fixed, since it may be sent credentials'
  if (authority!.includes('@')) return 'contains credentials; write "auth", which names a secret'
  if (!URL.canParse(`${scheme}://${authority}`)) return `has no usable host: ${JSON.stringify(authority)}`
  if (fragment !== undefined) return 'has a part after #, which is never sent'
  const [pathTemplate, queryTemplate] = [parseTemplate(path === '' ? '/' : path!), parseTemplate(query)]
  if (pathTemplate === null || queryTemplate === null)
    return 'has a brace that does not belong to a {x} or {secret:NAME}'
  if (hasDotSegment(path!)) return 'has a segment . or .. in its path'
  const { origin, host } = new URL(`${scheme}://${authority}`)
  return { origin, host, path: pathTemplate.map(escapeLiteral), query: queryTemplate.map(escapeLiteral) }
}

/**
 * Fills in the values, escaped: none can add a segment, leave one, or begin a query. An empty optional parameter leaves its
 * segment empty, as in `/items/`.
 */
export function fillUrl({ path, query }: UrlTemplate, values: UrlValues): FilledUrl {
  const filled = withoutHost(path, (place) => segmentOf(place, values))
  if (hasDotSegment(filled)) {
    const field = path.find((part, index) => index % 2 === 1 && secretOf(part) === null) ?? ''
    throw unusable(field, 'the path would then contain . or .. as a segment')
  }
  const filledQuery = fill(query, (place) => {
    const secret = secretOf(place)
    return escapeValue(secret === null ? textOf(values.params[place] ?? '') : values.secret(secret))
  })
  const shown = withoutHost(path, (place) => {
    const secret = secretOf(place)
    return secret === null ? segmentOf(place, values) : `[secret ${secret}]`
  })
  return { path: filled + filledQuery, shown }
}

export function escapeValue(text: string): string {
  return encodeURIComponent(toUSVString(text))
}

/** Keeps `:` and other characters that a path allows, since some servers compare the path literally. */
export function escapeSecret(value: string): string {
  return encodeURI(toUSVString(value)).replace(/[/?#]/g, encodeURIComponent)
}

function segmentOf(place: string, { params, optional, secret }: UrlValues): string {
  const name = secretOf(place)
  if (name !== null) return escapeSecret(secret(name))
  const value = params[place] ?? ''
  const texts = Array.isArray(value) ? value.map(textOf) : [textOf(value)]
  const text = texts.join(',')
  if (text === '' && !optional.has(place))
    throw unusable(place, 'it is part of the path and must not be empty')
  if (dotSegment.test(text))
    throw unusable(place, 'it is part of the path and must not contain . or .. as a segment')
  return texts.map(escapeValue).join(',')
}

/** Drops an empty first segment: some servers and proxies read what follows `//` as a host. */
function withoutHost(path: Template, textFor: (place: string) => string): string {
  const filled = fill(path, textFor)
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
