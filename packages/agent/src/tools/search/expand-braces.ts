const maxAlternatives = 256

/**
 * `{a,b}` as separate patterns; `null` if a brace is not closed or not opened, or if there are too many alternatives. Unless `keepEmpty`,
 * an empty alternative counts as absent, as in ripgrep's ignore files.
 */
export function expandBraces(pattern: string, keepEmpty: boolean): string[] | null {
  if (!/[{}]/.test(pattern)) return [pattern]
  const found = alternatives(pattern, 0, false, keepEmpty)
  return found === null || found.end !== pattern.length ? null : found.texts
}

/** From `start` to the end, or to the brace that closes this group. */
function alternatives(
  pattern: string,
  start: number,
  inBraces: boolean,
  keepEmpty: boolean,
): { readonly texts: string[]; readonly end: number } | null {
  const done: string[] = []
  let current = ['']
  for (let at = start; at < pattern.length; at++) {
    const character = pattern[at]!
    if (character === '{') {
      const inner = alternatives(pattern, at + 1, true, keepEmpty)
      if (inner === null || inner.texts.length * current.length > maxAlternatives) return null
      const texts = keepEmpty ? inner.texts : inner.texts.filter((text) => text !== '')
      if (texts.length > 0) current = current.flatMap((before) => texts.map((text) => before + text))
      at = inner.end
    } else if (character === '}') {
      return inBraces ? { texts: [...done, ...current], end: at } : null
    } else if (character === ',' && inBraces) {
      done.push(...current)
      if (done.length > maxAlternatives) return null
      current = ['']
    } else {
      const text = character === '\\' ? pattern.slice(at, ++at + 1) : character
      current = current.map((before) => before + text)
    }
  }
  return inBraces ? null : { texts: current, end: pattern.length }
}
