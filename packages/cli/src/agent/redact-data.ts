/** Applies `redact` to every string in plain data, including keys. Returns the same value if nothing changed. */
export function redactData(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => redactData(item, redact))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  const entries = Object.entries(value)
  const redacted = entries.map(([key, item]) => [redact(key), redactData(item, redact)] as const)
  const isSame = redacted.every(
    ([key, item], index) => key === entries[index]![0] && item === entries[index]![1],
  )
  return isSame ? value : Object.fromEntries(redacted)
}
