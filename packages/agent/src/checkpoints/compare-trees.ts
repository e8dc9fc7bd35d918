import { type BytePath, fromBytes, parentsOf } from './byte-path.ts'
import type { UncoveredPath } from './checkpoint.ts'
import type { ShadowRepository } from './shadow-repository.ts'

/** What restoring does to one file. */
export interface FileChange {
  readonly kind: 'create' | 'change' | 'delete'
  readonly path: BytePath
  /** Of the file afterwards; `null` if it is deleted. */
  readonly target: FileVersion | null
  /** Only the executable bit changes. */
  readonly isModeOnly: boolean
}

export interface FileVersion {
  readonly kind: 'file' | 'executable' | 'link'
  /** The id of the content. */
  readonly blob: string
}

/** The changes that turn one tree into another. */
export async function compareTrees(
  repository: ShadowRepository,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<FileChange[]> {
  if (from === to) return []
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]
  const fields = fromBytes(await repository.git({ args, signal })).split('\0')
  const changes: FileChange[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode = '', oldBlob, blob = '', status] = fields[at]!.slice(1).split(' ')
    const path = fields[at + 1]!
    const target = status === 'D' ? null : { kind: kindOf(newMode), blob }
    const kind = target === null ? 'delete' : status === 'A' ? 'create' : 'change'
    const isModeOnly = kind === 'change' && oldBlob === blob && oldMode !== '120000' && newMode !== '120000'
    changes.push({ kind, path, target, isModeOnly })
  }
  return changes
}

export const gitModes: Readonly<Record<FileVersion['kind'], string>> = {
  file: '100644',
  executable: '100755',
  link: '120000',
}

function kindOf(mode: string): FileVersion['kind'] {
  for (const kind of ['file', 'executable', 'link'] as const) if (gitModes[kind] === mode) return kind
  throw new Error(`expected a file or a link in the checkpoint, got the mode ${mode}`)
}

/** Returns a function that tells whether a path is one of these, or inside of one of the folders. */
export function isUncoveredIn(uncovered: readonly UncoveredPath[]): (path: BytePath) => boolean {
  const paths = new Set(uncovered.map(({ path }) => path))
  return (path) => paths.has(path) || parentsOf(path).some((parent) => paths.has(`${parent}/`))
}
