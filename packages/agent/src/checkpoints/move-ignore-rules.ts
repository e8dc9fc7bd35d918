import { matchGlob } from '@curfew/core/internal'

/** Each `**` multiplies the ways in which a path can match. */
const maxWildcards = 3

/**
 * The rules of a `.gitignore` above the root, as they apply to the root. `below` are the folders from the file to the root. Rules that
 * cannot be moved are dropped: then more is covered.
 */
export function moveIgnoreRules(text: string, below: readonly string[]): string {
  if (below.length === 0) return text
  return text
    .split('\n')
    .flatMap((line) => moveRule(line.replace(/\r$/, ''), below))
    .join('\n')
}

function moveRule(line: string, below: readonly string[]): string[] {
  if (line === '' || line.startsWith('#')) return []
  const sign = line.startsWith('!') ? '!' : ''
  const rule = line.slice(sign.length)
  // Only a slash before the end ties a rule to the folder of its file.
  if (!/\/./.test(rule)) return [line]
  const segments = (rule.startsWith('/') ? rule.slice(1) : rule).split('/')
  if (segments.filter((segment) => segment === '**').length > maxWildcards) return []
  return [...new Set(rest(segments, below))].map((moved) => `${sign}/${moved}`)
}

/** What is left of a path when its first segments have matched the folders. */
function rest(segments: readonly string[], below: readonly string[]): string[] {
  const [folder, ...inner] = below
  if (folder === undefined) return segments.join('') === '' ? [] : [segments.join('/')]
  const [first, ...others] = segments
  // The rule is about the folder itself, or one around it.
  if (first === undefined || others.join('') === '') return first === '**' ? ['**'] : []
  if (first === '**') return [...rest(others, below), ...rest(segments, inner)]
  if (/[[\]\\]/.test(first) || !matchGlob(first, folder)) return []
  return rest(others, inner)
}
