/**
 * `*` matches any number of characters, `?` matches one, `\` escapes the next one. Takes at most time proportional to
 * pattern x text, so no pattern can block the event loop.
 */
export function matchGlob(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    const escaped = pattern[p] === '\\' && p + 1 < pattern.length
    const literal = escaped ? pattern[p + 1] : pattern[p]
    if (!escaped && literal === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && ((!escaped && literal === '?') || literal === text[t])) {
      p += escaped ? 2 : 1
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++resume
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

export function escapeGlob(text: string): string {
  return text.replace(/[\\*?]/g, '\\$&')
}

export function hasWildcard(glob: string): boolean {
  return /(?<!\\)(?:\\\\)*[*?]/.test(glob)
}
