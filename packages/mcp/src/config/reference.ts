/** A string with references to secrets, which are read only when it is used. */
export type Reference = readonly (string | { readonly secret: string })[]

const name = '([A-Za-z_][A-Za-z0-9_]{0,127})'

/** `{secret:NAME}` anywhere; `secret:NAME` as the whole string, its last word, or after an `=`. */
const inText = new RegExp(`\\{secret:${name}\\}|(?<=^|[\\s=])secret:${name}$`, 'g')
/** The same in a URL, where a value after an `=` may end with `&`. */
const inUrl = new RegExp(`\\{secret:${name}\\}|(?<==)secret:${name}(?=&|$)`, 'g')

/** Splits a string into references to secrets and the strings around them. */
export function parseReference(text: string, isUrl = false): Reference {
  const parts: (string | { readonly secret: string })[] = []
  let end = 0
  for (const found of text.matchAll(isUrl ? inUrl : inText)) {
    if (found.index > end) parts.push(text.slice(end, found.index))
    parts.push({ secret: (found[1] ?? found[2])! })
    end = found.index + found[0].length
  }
  if (end < text.length || parts.length === 0) parts.push(text.slice(end))
  return parts
}

/** Whether a string contains a reference to a secret, even in a position where it is not replaced. */
export function mentionsSecret(text: string): boolean {
  return /(?<![A-Za-z0-9_])secret:[A-Za-z_]/.test(text)
}

/** The distinct names, in order of appearance. */
export function secretNames(references: Iterable<Reference | string>): string[] {
  const names = new Set<string>()
  for (const reference of references) {
    if (typeof reference === 'string') continue
    for (const part of reference) if (typeof part !== 'string') names.add(part.secret)
  }
  return [...names]
}

export async function fillReference(
  reference: Reference | string,
  read: (name: string) => Promise<string>,
): Promise<string> {
  if (typeof reference === 'string') return reference
  let text = ''
  for (const part of reference) text += typeof part === 'string' ? part : await read(part.secret)
  return text
}

/** Formats a reference without values: `Bearer {secret:NAME}`. */
export function showReference(reference: Reference | string): string {
  if (typeof reference === 'string') return reference
  return reference.map((part) => (typeof part === 'string' ? part : `{secret:${part.secret}}`)).join('')
}
