import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { attempt } from '@curfew/core/internal'
import type { Workspace } from '../workspace/workspace.ts'

const maxEntries = 1_000

/** What a typed path such as `src/ag` can become: the entries of its folder. Hidden ones only if the name starts with a dot. */
export function completePath(typed: string, folder: string, workspace: Workspace): string[] {
  const slash = typed.lastIndexOf('/')
  const parent = typed.slice(0, slash + 1)
  const start = typed.slice(slash + 1)
  const path = resolve(folder, parent)
  if (workspace.locate(path).area === 'outside') return []
  return attempt(
    () =>
      readdirSync(path, { withFileTypes: true })
        .filter(({ name }) => name !== '.git' && (start.startsWith('.') || !name.startsWith('.')))
        .filter(({ name }) => name.toLowerCase().includes(start.toLowerCase()))
        .slice(0, maxEntries)
        .map((entry) => `${parent}${entry.name}${entry.isDirectory() ? '/' : ''}`)
        .sort(),
    [],
  )
}
