import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { attempt, readSmallFileIfAny } from '@curfew/core/internal'
import type { ConfigRoots } from '@curfew/extensions'
import { homeFolder } from '@curfew/extensions/internal'

const maxBytes = 1 << 20

/**
 * The files that `mcp.json` names, also before they exist, and those that scripts are or name: Curfew or a script runs them outside of the
 * sandbox.
 */
export function namedPrograms({ user, project, projectFolder }: ConfigRoots): readonly string[] {
  const roots = project?.trusted ? [user, project.path] : [user]
  const paths = roots.flatMap((root) => {
    const servers = join(root, 'mcp.json')
    // Each may be a link into the workspace.
    const scripts = entriesOf(join(root, 'extensions', 'scripts'))
    const files = scripts.flatMap(entriesOf)
    return [
      ...[servers, ...scripts, ...files],
      ...pathsIn(servers, projectFolder).filter((path) => typeOf(path) !== 'folder'),
      ...files.flatMap((file) => pathsIn(file, projectFolder)).filter((path) => typeOf(path) === 'file'),
    ]
  })
  return [...new Set(paths)]
}

/** Any string may be a path or a command line, which is relative to the project, to the file, or to a folder that the file names. */
function pathsIn(file: string, projectFolder: string): readonly string[] {
  const text = readSmallFileIfAny(file, maxBytes)?.toString().replaceAll('\\/', '/') ?? ''
  const quoted = [...text.matchAll(/"([^"\n]+)"/g)].map(([, string]) => string!)
  const words = [...new Set([...quoted, ...text.split(/[\s"'`,;|&()<>=[\]{}]+/)])].map((word) =>
    word.replace(/^~(?=\/)/, homeFolder(process.env)),
  )
  const paths = words.filter((word) => !word.includes('://') && word.length < 1_000)
  const folders = words
    .map((word) => resolve(projectFolder, word))
    .filter((path) => typeOf(path) === 'folder')
  // Other words, such as that of `sh start`, only name what exists.
  return [projectFolder, dirname(file), ...folders].flatMap((base) =>
    paths.flatMap((word) => {
      const path = resolve(base, word)
      return /\/|\.\w+$/.test(word) || typeOf(path) === 'file' ? [path] : []
    }),
  )
}

function entriesOf(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder), []).map((name) => join(folder, name))
}

function typeOf(path: string): 'file' | 'folder' | null {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }), undefined)
  return stats === undefined ? null : stats.isDirectory() ? 'folder' : 'file'
}
