/** `did you mean "word_count"?` if something known is close to what was written, or nothing. */
export function didYouMean(written: string, known: Iterable<string>): string {
  const nearest = nearestName(written, known)
  return nearest === undefined ? '' : `did you mean "${nearest}"?`
}

/** What was most likely meant. */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const name of known) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase())
    const own = name.length - sharedQualifier(written, name)
    if (distance < bestDistance && distance <= Math.max(1, own / 2)) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** Names of one server are alike in `mcp__<server>__`, which says nothing about the rest. */
function sharedQualifier(written: string, name: string): number {
  const end = name.lastIndexOf('__') + 2
  return end > 2 && written.startsWith(name.slice(0, end)) ? end : 0
}

function editDistance(a: string, b: string): number {
  // Longer than any name: not worth the work.
  if (a.length > 128) return Number.POSITIVE_INFINITY
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitute = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(previous[j]! + 1, current[j - 1]! + 1, substitute))
    }
    previous = current
  }
  return previous[b.length]!
}
