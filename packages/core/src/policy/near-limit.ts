/** Within the last tenth of a limit, but at least one below it. */
export function nearLimit(used: number, limit: number): boolean {
  return used > 0 && used >= limit - Math.max(1, Math.floor(limit / 10))
}
