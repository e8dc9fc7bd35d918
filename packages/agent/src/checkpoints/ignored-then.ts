import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { absolute, type BytePath, fromBytes, joinPaths, nameOf, parentsOf, splitPaths } from './byte-path.ts'
import { readBlobs } from './read-blobs.ts'
import type { ShadowRepository } from './shadow-repository.ts'

/** Of temporary folders. Only while the workspace is locked. */
export const rulesPrefix = 'rules-'

/** Which of these paths may have existed beside a tree, because its `.gitignore` files ignore them. Restoring keeps them. */
export async function ignoredThen(
  repository: ShadowRepository,
  tree: string,
  paths: readonly BytePath[],
  signal: AbortSignal,
): Promise<ReadonlySet<BytePath>> {
  if (paths.length === 0) return new Set()
  const workTree = await mkdtemp(join(repository.folder, rulesPrefix))
  try {
    const rules = await rulesOf(repository, tree, signal)
    for await (const [blob, content] of readBlobs(repository, rules.values(), signal)) {
      for (const [path, id] of rules) if (id === blob) await write(absolute(workTree, path), content)
    }
    const output = await repository.git({
      args: ['check-ignore', '--no-index', '-z', '--stdin'],
      // A name may look like a pathspec, such as `:(top)x`.
      input: joinPaths(paths.map((path) => `./${path}`)),
      workTree,
      signal,
      // None is ignored.
      okExitCodes: [1],
    })
    return new Set(splitPaths(output).map((path) => path.slice(2)))
  } finally {
    await rm(workTree, { recursive: true, force: true })
  }
}

/**
 * Returns a function that tells whether a path cannot have existed beside these files: one of them is where it needs a folder, or the other
 * way round.
 */
export function isInTheWayOf(files: readonly BytePath[]): (path: BytePath) => boolean {
  const paths = new Set(files)
  const folders = new Set(files.flatMap(parentsOf))
  return (path) => folders.has(path) || parentsOf(path).some((parent) => paths.has(parent))
}

/** The ids of the ignore files, by path. */
async function rulesOf(
  repository: ShadowRepository,
  tree: string,
  signal: AbortSignal,
): Promise<Map<BytePath, string>> {
  const output = await repository.git({ args: ['ls-tree', '-r', '-z', tree], signal })
  const rules = new Map<BytePath, string>()
  for (const entry of splitPaths(output)) {
    const tab = entry.indexOf('\t')
    const path = entry.slice(tab + 1)
    const [mode, , blob = ''] = entry.slice(0, tab).split(' ')
    // git does not follow links here.
    if (nameOf(path) === '.gitignore' && mode !== '120000') rules.set(path, blob)
  }
  return rules
}

async function write(path: Buffer, content: Buffer | null): Promise<void> {
  const folder = Buffer.from(dirname(fromBytes(path)), 'latin1')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(path, content ?? '', { mode: 0o600 })
}
