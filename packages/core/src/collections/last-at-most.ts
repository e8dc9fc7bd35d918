/** The index of the last of some sorted numbers that is at most a value; 0 if there is none. */
export function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (sorted[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}
