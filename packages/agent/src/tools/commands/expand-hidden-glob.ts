import { readdirSync } from 'node:fs'
import { join, parse, sep } from 'node:path'
import { attempt, matchGlob } from '@curfew/core/internal'

/** More paths are hardly meant. */
const maxPaths = 1_000

/** The paths that a shell would replace an absolute path with, if names in it that begin with a dot contain wildcards. */
export function expandHiddenGlob(path: string): readonly string[] {
  const { root } = parse(path)
  let paths = [root]
  for (const name of path.slice(root.length).split(sep)) {
    // Sets and braces as anything: to check too much is safe.
    const glob = name.replace(/\[[^\]]*\]|\{[^}]*\}/g, '*')
    const isPattern = glob.startsWith('.') && /[*?]/.test(glob)
    paths = isPattern
      ? paths.flatMap((folder) =>
          namesIn(folder)
            .filter((one) => one.startsWith('.') && matchGlob(glob, one))
            .map((one) => join(folder, one)),
        )
      : paths.map((folder) => join(folder, name))
    paths = paths.slice(0, maxPaths)
  }
  // Without a match, a shell uses the word as it is.
  return paths.length === 0 ? [path] : paths
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder), [])
}
