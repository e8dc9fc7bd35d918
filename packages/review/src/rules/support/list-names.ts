import { quote } from '../../language/printable.ts'

const maxListed = 5

/** `"a", "b" and 3 more`. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, maxListed).map(quote).join(', ')
  return names.length > maxListed ? `${shown} and ${names.length - maxListed} more` : shown
}
