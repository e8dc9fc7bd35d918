import { nearestName } from '@curfew/core/internal'

/** Unlike a value, the name of a secret is usually written like this. */
const secretName = /^[A-Z][A-Z0-9_]*$/

/** Names that people give to commands of their own, so that these are not taken for a mistyped `/secret`. */
const similarNames = ['search', 'select', 'script', 'reset', 'sort']

/**
 * What may be kept of a typed prompt, without secrets; `null` if nothing. A space at the start keeps it out of the history, as in a shell.
 * `/secret`, even if mistyped, is kept only with what is clearly a name.
 */
export function storablePrompt(text: string, redact: (text: string) => string): string | null {
  if (text.startsWith(' ') || text.trim() === '') return null
  const [, name, args = ''] = /^\s*\/([^\s/]+)\s*(.*)$/s.exec(text) ?? []
  if (name !== undefined && nearestName(name, ['secret', ...similarNames]) === 'secret') {
    const value = args.trim()
    if (value !== '' && !(name === 'secret' && secretName.test(value))) return null
  }
  try {
    return redact(text)
  } catch {
    return null
  }
}
