/** How many of these, from the first on, are within both limits. */
export function countWithinLimits(items: readonly unknown[], most: number, mostBytes: number): number {
  let bytes = 0
  const end = items.findIndex((item, index) => {
    bytes += JSON.stringify(item).length
    return index >= most || bytes > mostBytes
  })
  return end < 0 ? items.length : end
}
