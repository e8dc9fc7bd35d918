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
    const ownFrom = ownNameFrom(name)
    const sharesQualifier = ownFrom > 0 && input.startsWith(name.slice(0, ownFrom))
    // Models leave the qualifier out.
    for (const compared of sharesQualifier || ownFrom === 0 ? [name] : [name, name.slice(ownFrom)]) {
      const ownLength = sharesQualifier ? name.length - ownFrom : compared.length
      const limit = Math.min(Math.max(1, ownLength / 2), bestDistance - 1)
      // Most names differ too much, and a model may invent hundreds of names for a thousand tools.
      if (Math.abs(wanted.length - compared.length) > limit) continue
      const distance = editDistance(wanted, compared.toLowerCase(), limit)
      if (distance > limit) continue
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** Tools of one server share the prefix `mcp__<server>__`, which must not count as similarity. */
function ownNameFrom(name: string): number {
  const at = name.lastIndexOf('__')
  return at > 0 ? at + 2 : 0
}

/** Anything above `limit` if the distance is greater. */
function editDistance(a: string, b: string, limit: number): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const substitute = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const distance = Math.min(previous[j]! + 1, current[j - 1]! + 1, substitute)
      current.push(distance)
      least = Math.min(least, distance)
    }
    if (least > limit) return least
    previous = current
  }
  return previous[b.length]!
}
