import type { SecretStore } from '@curfew/extensions'
import { addServer } from '@curfew/mcp/config'
import { keepOutOfGit } from '../keep-out-of-git.ts'
import { findKeys } from '../plain-keys.ts'
import { refuseLink } from '../refuse-link.ts'
import { storeKeys } from '../store-keys.ts'
import type { PlannedFile } from './plan-import.ts'
import { fileIn, type Taken, type TakenServer } from './take-over.ts'

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
  const { source, root, taken } = planned
  if (!taken.some(({ kind }) => kind === 'taken')) return planned
  const file = fileIn(root.path)
  const ofProject = source.scope === 'project'
  if (ofProject) refuseLink('mcp import', file)
  // Importing must not trust servers from a repository that the person may never have approved.
  const isUnasked = taken.some((one) => one.kind === 'taken' && one.isUnasked)
  const isTrusted = root.usable && (!isUnasked || root.exists)
  if (!isUnasked) await root.prepare()
  const stored: string[] = []
  const done: Taken[] = []
  for (const one of taken) {
    if (one.kind !== 'taken') {
      done.push(one)
      continue
    }
    const named =
      store === null ? null : await storeKeys(store, one.name, one.entry, ofProject ? root.path : null)
    stored.push(...(named?.stored ?? []))
    done.push(await add(file, { ...one, entry: named?.entry ?? one.entry }))
  }
  const isPrivate = !source.isShared || done.some((one) => one.kind === 'taken' && hasKey(one))
  const notes = [...planned.notes, ...(ofProject && isPrivate ? await keepOutOfGit(file) : [])]
  return { ...planned, root: { ...root, usable: isTrusted }, taken: done, stored, notes }
}

async function add(file: string, one: TakenServer): Promise<Taken> {
  const { from, name, entry, replaces } = one
  const done = await addServer(file, name, entry, { force: replaces })
  return done === 'exists' ? { kind: 'there', from, name, same: false } : one
}

function hasKey({ name, entry }: TakenServer): boolean {
  return findKeys(name, entry).length > 0
}
