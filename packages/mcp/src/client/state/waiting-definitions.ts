/** Says how many definitions wait for approval; `null` if none does. Names are left out, because the server chooses them. */
export function describeWaiting(
  server: string,
  { added, changed }: { readonly added: readonly unknown[]; readonly changed: readonly unknown[] },
): string | null {
  const parts = [
    { number: added.length, what: added.length === 1 ? 'new tool' : 'new tools' },
    { number: changed.length, what: changed.length === 1 ? 'changed definition' : 'changed definitions' },
  ].filter(({ number }) => number > 0)
  if (parts.length === 0) return null
  const wait = added.length + changed.length === 1 ? 'waits' : 'wait'
  const what = parts.map(({ number, what }) => `${number} ${what}`).join(' and ')
  return `${what} ${wait} for approval: curfew mcp approve ${server}`
}
