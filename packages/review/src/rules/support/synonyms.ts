/** Verbs that a model cannot tell apart when the object is the same; the first stands for all of a line. */
const verbs: ReadonlyMap<string, string> = new Map(
  [
    'get fetch retrieve obtain',
    'delete remove erase',
    'search find lookup',
    'create add make',
    'update modify edit change',
    'list enumerate',
    'run execute',
    'show view display',
  ].flatMap((line) => {
    const words = line.split(' ')
    return words.map((word) => [word, words[0]!] as const)
  }),
)
/** At the end of a name they say nothing that parts it from another. */
export const emptyNouns: ReadonlySet<string> = new Set(['info', 'information', 'data', 'details', 'detail'])

/** The same for `get_user_info` and `fetch_user_details`; not for `get_user`, which may give something else. */
export function meaningOf(words: readonly string[]): readonly string[] {
  if (words.length < 2) return words
  // `github_get_user`: a name of the server may come first.
  const verbAt = words.findIndex((word) => verbs.has(word))
  return words.map((word, index) => {
    if (index === verbAt) return verbs.get(word)!
    return index === words.length - 1 && emptyNouns.has(word) ? 'info' : word
  })
}
