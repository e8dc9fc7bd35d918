import { nearestName } from '@curfew/core/internal'

/** `Did you mean "--json"?`, or nothing if no known name is similar. Loaded only for an error. */
export function suggest(given: string, known: Iterable<string>): string {
  const nearest = nearestName(given, known)
  return nearest === undefined ? '' : `Did you mean ${JSON.stringify(nearest)}?`
}
