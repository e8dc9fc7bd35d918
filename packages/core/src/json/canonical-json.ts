/** JSON with sorted keys, so that equal values give equal strings. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}n"`
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return JSON.stringify(value) ?? 'null'
  let text = ''
  for (const key of Object.keys(value).sort()) {
    const child = (value as Record<string, unknown>)[key]
    if (child === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(child)}`
  }
  return `{${text}}`
}
