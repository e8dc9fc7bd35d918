/** The words of a text, which is easier to read than a long array of strings. */
export function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text))
}
