/** A text with secrets in it. They are filled in where it is used, and nowhere before. */
export type Reference = readonly (string | { readonly secret: string })[]

/** As in the files of API tools: all of the text, or its last word. */
const secretShape = /^(|.*\s)secret:([A-Za-z_][A-Za-z0-9_]{0,127})$/s

/** The secret that a text ends with, and what stands before it; `null` if it names none. */
export function splitSecret(text: string): { readonly before: string; readonly secret: string } | null {
  const [, before, secret] = secretShape.exec(text) ?? []
  return before === undefined || secret === undefined ? null : { before, secret }
}

/** A text that names a secret somewhere, whether or not it can be filled in there. */
export function mentionsSecret(text: string): boolean {
  return /(?<![A-Za-z0-9_])secret:[A-Za-z_]/.test(text)
}

/** Each name once, in the order in which they are found. */
export function secretNames(references: Iterable<Reference>): string[] {
  const names = new Set<string>()
  for (const reference of references) {
    for (const part of reference) if (typeof part !== 'string') names.add(part.secret)
  }
  return [...names]
}

export async function fillReference(
  reference: Reference,
  read: (name: string) => Promise<string>,
): Promise<string> {
  let text = ''
  for (const part of reference) text += typeof part === 'string' ? part : await read(part.secret)
  return text
}
