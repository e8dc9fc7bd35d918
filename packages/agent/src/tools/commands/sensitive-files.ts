import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CurfewError } from '@curfew/core'
import type { Workspace } from '../../workspace/workspace.ts'
import { cannotProtect } from './sandbox-arguments.ts'

/** What a sandbox hides, and what it makes read-only. */
export interface SensitiveFiles {
  readonly secret: readonly string[]
  readonly protected: readonly string[]
}

/** More arguments would not fit into a command line. */
const maxFound = 2_000
const maxEntries = 500_000
/** Their files are written by package managers and git, and there are too many of them. */
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** Finds the files of a workspace with secrets or permissions. Links are not followed: what they lead to is found itself. */
export async function findSensitiveFiles(workspace: Workspace, signal: AbortSignal): Promise<SensitiveFiles> {
  const secret: string[] = []
  const protectedFiles: string[] = []
  const folders = [...workspace.folders]
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // A folder that cannot be listed, or disappeared, is left out: the command cannot list it either.
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      signal.throwIfAborted()
      if (++entries > maxEntries) throw tooMany(`${maxEntries} files`)
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink() && entry.name === '.curfew') throw cannotProtect(path)
      if (entry.isSymbolicLink() || skipped.has(entry.name)) continue
      const found = lookUp(workspace, path)
      if (found.secret) secret.push(path)
      else if (found.protected) protectedFiles.push(path)
      else if (entry.isDirectory()) folders.push(path)
    }
  }
  if (secret.length + protectedFiles.length > maxFound) throw tooMany(`${maxFound} files to hide or protect`)
  return { secret, protected: protectedFiles }
}

interface Sensitivity {
  readonly secret: boolean
  readonly protected: boolean
}

/** What a path is does not change, and looking it up is slow. */
const known = new WeakMap<Workspace, Map<string, Sensitivity>>()
const maxKnown = 100_000

function lookUp(workspace: Workspace, path: string): Sensitivity {
  const paths = known.get(workspace) ?? new Map<string, Sensitivity>()
  known.set(workspace, paths)
  const found = paths.get(path)
  if (found !== undefined) return found
  const { secret, protected: reason } = workspace.locate(path)
  const sensitivity = { secret: secret !== null, protected: reason !== null }
  if (paths.size >= maxKnown) paths.clear()
  paths.set(path, sensitivity)
  return sensitivity
}

function tooMany(what: string): CurfewError {
  return new CurfewError('TOOL_FAILED', `the workspace has more than ${what}`)
}
