/** Remembers what was computed for a list; it is computed again if the list has grown since. */
export function oncePerList<Item, Result>(
  compute: (list: readonly Item[]) => Result,
): (list: readonly Item[]) => Result {
  const cache = new WeakMap<readonly Item[], { readonly result: Result; readonly size: number }>()
  return (list) => {
    const known = cache.get(list)
    if (known?.size === list.length) return known.result
    const result = compute(list)
    cache.set(list, { result, size: list.length })
    return result
  }
}
