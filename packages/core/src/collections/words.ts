/** The words of a text, which is easier to read than a long array of strings. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text))
}
