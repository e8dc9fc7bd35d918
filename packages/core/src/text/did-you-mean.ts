/** `did you mean "word_count"?` if a known name is similar, otherwise an empty string. */
export function didYouMean(input: string, known: Iterable<string>): string {
  const nearest = nearestName(input, known)
  return nearest === undefined ? '' : `did you mean "${nearest}"?`
}

/** Longer than any valid name. */
const maxNameLength = 128

/** The most similar known name, if it is similar enough. */
export function nearestName(input: string, known: Iterable<string>): string | undefined {
  if (input.length > maxNameLength) return undefined
  const wanted = input.toLowerCase()
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const name of known) {
    const distance = editDistance(wanted, name.toLowerCase())
    const comparedLength = name.length - sharedQualifier(input, name)
    if (distance < bestDistance && distance <= Math.max(1, comparedLength / 2)) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** Tools of one server share the prefix `mcp__<server>__`, which must not count as similarity. */
function sharedQualifier(input: string, name: string): number {
  const end = name.lastIndexOf('__') + 2
  return end > 2 && input.startsWith(name.slice(0, end)) ? end : 0
}

function editDistance(a: string, b: string): number {
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
