import { readdirSync } from 'node:fs'
import { join, parse, sep } from 'node:path'
import { attempt, matchGlob } from '@curfew/core/internal'

/** More paths are hardly meant. */
const maxPaths = 1_000

/**
 * The paths that a shell would replace an absolute path with, if a name in it that begins with a dot contains wildcards. `null` if
 * there are too many.
 */
export function expandHiddenGlob(path: string): readonly string[] | null {
  if (!/\/\.[^/]*[*?]/.test(path)) return [path]
  const { root } = parse(path)
  let paths = [root]
  for (const name of path.slice(root.length).split(sep)) {
    paths = /[*?]/.test(name)
      ? paths.flatMap((folder) =>
          namesIn(folder)
            .filter((one) => one.startsWith('.') === name.startsWith('.') && matchGlob(name, one))
            .map((one) => join(folder, one)),
        )
      : paths.map((folder) => join(folder, name))
    if (paths.length > maxPaths) return null
  }
  // Without a match, a shell uses the word as it is.
  return paths.length === 0 ? [path] : paths
}

const maxExpandedLength = 1 << 22

/** The words that a shell makes of one with braces, and those in between. `null` if there are too many. */
export function expandBraces(word: string, max: number): ReadonlySet<string> | null {
  const words = new Set([word])
  for (const one of words) {
    if (words.size > max || words.size * word.length > maxExpandedLength) return null
    const [braces, inside = ''] = /\{([^{}]*)\}/.exec(one) ?? []
    if (braces === undefined) continue
    const isRange = /^[^,]*\.\.[^,]*$/.test(inside)
    for (const choice of isRange ? ['*'] : inside.split(',')) words.add(one.replace(braces, choice))
  }
  return words
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder), [])
}
