/** Counts how many leading items are within both limits. */
export function countWithinLimits(items: readonly unknown[], maxItems: number, maxBytes: number): number {
  let bytes = 0
  const end = items.findIndex((item, index) => {
    bytes += JSON.stringify(item).length
    return index >= maxItems || bytes > maxBytes
  })
  return end < 0 ? items.length : end
}
