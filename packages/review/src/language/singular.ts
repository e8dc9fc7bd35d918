/** A rough stem, good enough to compare `files` with `file` and `modifies` with `modify`. */
export function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (word.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2)
  return /(?:ss|us|is|alias)$/.test(word) ? word : word.slice(0, -1)
}
