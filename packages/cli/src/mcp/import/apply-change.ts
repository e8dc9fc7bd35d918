import { constants, copyFile, stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, replaceFile } from '@curfew/core/internal'
import { applyEdit, editJson, escapeKey } from '@curfew/extensions/internal'
import { type Change, tomlEntry } from './plan-changes.ts'
import { parseDocument, readDocument } from './read-source.ts'
import { valueAt } from './source.ts'

/** The path of the backup, or why the file was not changed. */
export type Applied = { readonly backup: string } | { readonly skipped: string }

/** Edits an agent's file in place and keeps a backup next to it. The rest of the file keeps its formatting. */
export async function applyChange(change: Change): Promise<Applied> {
  const { file } = change.source
  const read = await readDocument(file)
  if (read.kind !== 'document')
    return { skipped: read.kind === 'problem' ? read.problem : 'the file no longer exists' }
  const path = change.source.pathIn(read.document)
  const servers = valueAt(read.document, path)
  if (!isJsonObject(servers)) return { skipped: 'its servers were removed' }
  if (change.add !== null && Object.hasOwn(servers, 'curfew') && !change.remove.includes('curfew'))
    return { skipped: 'it has another server named curfew' }
  const text = file.endsWith('.toml') ? editToml(read.text, change) : editServers(read.text, path, change)
  // The edit works on the text, so parse the result and verify that only the servers changed.
  const expected = withServers(read.document, path, changedServers(servers, change))
  const edited = text === null ? null : await parseDocument(file, text).catch(() => null)
  if (text === null || !isDeepStrictEqual(plain(edited), plain(expected)))
    return { skipped: 'its format cannot be edited safely' }
  const backup = await copyAside(file)
  await replaceFile(file, text, (await stat(file)).mode & 0o777)
  return { backup }
}

function changedServers(
  servers: Readonly<Record<string, unknown>>,
  { remove, add }: Change,
): Record<string, unknown> {
  const left = Object.entries(servers).filter(([name]) => !remove.includes(name))
  return { ...Object.fromEntries(left), ...(add !== null && { curfew: add }) }
}

function withServers(document: unknown, path: readonly string[], servers: Record<string, unknown>): unknown {
  const [key, ...rest] = path
  if (key === undefined) return servers
  const around = isJsonObject(document) ? document : {}
  return { ...around, [key]: withServers(around[key], rest, servers) }
}

function editServers(text: string, path: readonly string[], { remove, add }: Change): string | null {
  const pointer = path.map((key) => `/${escapeKey(key)}`).join('')
  let edited = text
  const edits = [
    ...remove.map((name) => [name, undefined] as const),
    ...(add === null ? [] : [['curfew', add] as const]),
  ]
  for (const [name, value] of edits) {
    const edit = editJson(edited, `${pointer}/${escapeKey(name)}`, value)
    if (edit === null) return null
    edited = applyEdit(edited, edit)
  }
  return edited
}

/** Removes the tables of the servers, each up to the next table header. */
function editToml(text: string, { remove, add }: Change): string {
  let isDropped = false
  const kept = text.split(/(?<=\n)/).filter((line) => {
    const [, header] = /^\s*\[\[?\s*([^\]]+?)\s*\]/.exec(line) ?? []
    if (header !== undefined) isDropped = remove.some((name) => isTableOf(header, name))
    return !isDropped
  })
  const rest = kept.join('').trimEnd()
  if (add === null) return `${rest}\n`
  return `${rest === '' ? '' : `${rest}\n\n`}${tomlEntry(add)}`
}

function isTableOf(header: string, name: string): boolean {
  const rest = header.replace(/^\s*(?:mcp_servers|"mcp_servers")\s*\.\s*/, '')
  if (rest === header) return false
  return [name, JSON.stringify(name), `'${name}'`].some(
    (key) => rest === key || /^\s*\./.test(rest.startsWith(key) ? rest.slice(key.length) : ''),
  )
}

async function copyAside(file: string): Promise<string> {
  for (let count = 1; ; count++) {
    const backup = `${file}.before-curfew${count === 1 ? '' : `-${count}`}`
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL)
      return backup
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Makes parsed TOML comparable: dates and big integers as strings, an empty table as a missing one. */
function plain(document: unknown): unknown {
  return JSON.parse(
    JSON.stringify(document ?? null, (key, value: unknown) => {
      if (typeof value === 'bigint') return String(value)
      return key === 'mcp_servers' && isJsonObject(value) && Object.keys(value).length === 0
        ? undefined
        : value
    }),
  )
}
