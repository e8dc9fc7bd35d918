import type { SecretStore } from '@curfew/extensions'
import { addServer } from '@curfew/mcp/config'
import { rejectSymlink } from '../../reject-symlink.ts'
import { keepOutOfGit } from '../keep-out-of-git.ts'
import { findKeys } from '../plain-keys.ts'
import { storeKeys } from '../store-keys.ts'
import { fileIn, type ImportedServer, type ImportResult } from './import-server.ts'
import type { PlannedFile } from './plan-import.ts'

/** Writes the planned servers; with a store, their keys are stored first. Returns the files with the written entries. */
export async function writeImport(
  files: readonly PlannedFile[],
  store: SecretStore | null,
): Promise<readonly PlannedFile[]> {
  const written: PlannedFile[] = []
  for (const file of files) written.push(await writeFile(file, store))
  return written
}

async function writeFile(planned: PlannedFile, store: SecretStore | null): Promise<PlannedFile> {
  const { source, root, results } = planned
  if (!results.some(({ kind }) => kind === 'imported')) return planned
  const file = fileIn(root.path)
  const isProjectLevel = source.scope === 'project'
  if (isProjectLevel) rejectSymlink('mcp import', file)
  // Importing must not trust servers from a repository that the user may never have approved.
  const isApprovalUnknown = results.some((one) => one.kind === 'imported' && one.isApprovalUnknown)
  const isTrusted = root.usable && (!isApprovalUnknown || root.exists)
  if (!isApprovalUnknown) await root.prepare()
  const stored: string[] = []
  const done: ImportResult[] = []
  for (const one of results) {
    if (one.kind !== 'imported') {
      done.push(one)
      continue
    }
    const named =
      store === null ? null : await storeKeys(store, one.name, one.entry, isProjectLevel ? root.path : null)
    stored.push(...(named?.stored ?? []))
    done.push(await add(file, { ...one, entry: named?.entry ?? one.entry }))
  }
  const isPrivate = !source.isShared || done.some((one) => one.kind === 'imported' && hasKey(one))
  const notes = [...planned.notes, ...(isProjectLevel && isPrivate ? await keepOutOfGit(file) : [])]
  return { ...planned, root: { ...root, usable: isTrusted }, results: done, stored, notes }
}

async function add(file: string, one: ImportedServer): Promise<ImportResult> {
  const { from, name, entry, replaces } = one
  const done = await addServer(file, name, entry, { force: replaces })
  return done === 'exists' ? { kind: 'exists', from, name, same: false, fields: [], entry } : one
}

function hasKey({ name, entry }: ImportedServer): boolean {
  return findKeys(name, entry).length > 0
}
