import { toUSVString } from 'node:util'
import { CurfewError } from '../errors/curfew-error.ts'
import { parseTemplate, type Template } from './template.ts'
import { textOf } from './text-of.ts'

/** A URL whose host is fixed and whose path and query have places for parameters. */
export interface UrlTemplate {
  readonly origin: string
  /** With its port, unless it is the usual one. */
  readonly host: string
  readonly path: Template
  /** With its question mark; empty if there is none. */
  readonly query: Template
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
  if (pathTemplate === null || queryTemplate === null) return 'has a brace that does not belong to a {x}'
  if (dotSegment.test(path!.replaceAll(/%2e/gi, '.'))) return 'has a segment . or .. in its path'
  const { origin, host } = new URL(`${scheme}://${authority}`)
  return { origin, host, path: pathTemplate.map(escapeLiteral), query: queryTemplate.map(escapeLiteral) }
}

/** Path and query with the parameters in place, escaped: none can add a segment, leave one, or begin a query. */
export function fillUrl({ path, query }: UrlTemplate, params: Readonly<Record<string, unknown>>): string {
  let filled = path[0]!
  for (let index = 1; index < path.length; index += 2) {
    filled += segmentOf(path[index]!, params[path[index]!]) + path[index + 1]!
  }
  for (let index = 0; index < query.length; index++) {
    filled += index % 2 === 0 ? query[index]! : escapeValue(textOf(params[query[index]!]))
  }
  return filled
}

export function escapeValue(text: string): string {
  return encodeURIComponent(toUSVString(text))
}

function segmentOf(name: string, value: unknown): string {
  const texts = Array.isArray(value) ? value.map(textOf) : [textOf(value)]
  const text = texts.join(',')
  if (text === '') throw unusable(name, 'it is part of the path and must not be empty')
  if (dotSegment.test(text))
    throw unusable(name, 'it is part of the path and must not contain . or .. as a segment')
  return texts.map(escapeValue).join(',')
}

function escapeLiteral(text: string, index: number): string {
  return index % 2 === 1 ? text : encodeURI(toUSVString(text)).replaceAll('%25', '%')
}

function unusable(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_PARAMS', `${field} cannot be used: ${problem}`, { field })
}
