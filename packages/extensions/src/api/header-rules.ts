import { wordSet } from '@curfew/core/internal'

/** A token of RFC 9110. */
const nameShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible Latin-1, spaces and tabs: a line break would start another header. */
const valueShape = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers that the connection sets itself. */
const reserved: ReadonlySet<string> = wordSet(`
  connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer
  transfer-encoding upgrade
`)

/** The problem with a header's name, or `null`. */
export function headerNameProblem(name: string): string | null {
  if (!nameShape.test(name)) return 'is not a valid header name'
  return reserved.has(name.toLowerCase()) ? 'is set by the connection itself' : null
}

export function isHeaderValue(value: string): boolean {
  return valueShape.test(value)
}
