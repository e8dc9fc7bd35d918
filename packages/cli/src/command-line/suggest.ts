import { nearestName } from '@curfew/core/internal'

/** `Did you mean "--json"?`, or `''` if no known name is similar. Loaded only for an error. */
export function suggest(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : `Did you mean ${JSON.stringify(nearest)}?`
}
