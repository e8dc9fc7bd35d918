/** A parameter's value as it stands in a URL, a header or a form. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
