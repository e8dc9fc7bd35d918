/**
 * The smallest value that at least this share of the values does not exceed (nearest rank). The values are in ascending order; `null`
 * if there are none.
 */
export function percentile(sorted: ArrayLike<number>, share: number): number | null {
  if (sorted.length === 0) return null
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

/** Merges two arrays in ascending order. */
export function mergeSorted(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const merged = new Float64Array(a.length + b.length)
  let atA = 0
  let atB = 0
  for (let at = 0; at < merged.length; at++) {
    const isFromA = atB >= b.length || (atA < a.length && a[atA]! <= b[atB]!)
    merged[at] = isFromA ? a[atA++]! : b[atB++]!
  }
  return merged
}
