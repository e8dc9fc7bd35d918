/** Converts a parameter to the string that is sent in a URL, a header or a form. */
export function stringifyValue(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
