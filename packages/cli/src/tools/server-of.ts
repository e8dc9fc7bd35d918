/** The server in `mcp__<server>__<tool>`; `null` for the name of any other tool. */
export function serverOf(name: string): string | null {
  return /^mcp__(.+?)__/.exec(name)?.[1] ?? null
}
