/** Matches the ids of these cases, and no others. */
export function toPattern(ids: readonly string[]): RegExp {
  return new RegExp(`^(?:${ids.join('|')})$`)
}
