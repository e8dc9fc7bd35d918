import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CurfewError } from '@curfew/core'
import { isJsonObject, messageOf, replaceFile, withLock } from '@curfew/core/internal'
import { applyEdit, editJson, type TextEdit } from '../json/edit-json.ts'
import { escapeKey, findNode, parseSource } from '../json/json-spans.ts'
import { parseJsonc } from '../json/parse-jsonc.ts'
import { findSetting, isEntryGroup, pathOf, splitEntryKey } from './config-settings.ts'
import { emptyLayer, readLayer, toLayer } from './load-config.ts'
import { mergeConfig } from './merge-config.ts'
import type { Assignment } from './read-assignment.ts'
import { unknownKey } from './read-assignment.ts'
import { maxJsonBytes, readJsonFile } from './read-json-file.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** Where a `config.json` is. */
export interface ConfigLocation {
  readonly file: string
  /** For a project's file: the user's folder, whose settings a project cannot loosen. */
  readonly userRoot: string | null
}

/**
 * Writes settings to a `config.json`, which is created if it does not exist; everything else in it keeps its comments and formatting.
 * Rejects with `INVALID_OPTION`, without writing, if the file is invalid or a value would be ignored.
 */
export async function setConfig(location: ConfigLocation, assignments: readonly Assignment[]): Promise<void> {
  await edit(location, (source) => {
    let text = source
    for (const { key, value } of assignments) text = setValue(text, key, value, location.file)
    return text
  })
}

/** Removes settings, or groups of them, from a `config.json`. Rejects with `INVALID_OPTION`, without writing, if one is not in there. */
export async function unsetConfig(location: ConfigLocation, keys: readonly string[]): Promise<void> {
  await edit(location, (source) => keys.reduce((text, key) => removeValue(text, key, location.file), source))
}

async function edit(location: ConfigLocation, change: (text: string) => string): Promise<void> {
  const { file } = location
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await withLock(file, async () => {
      const read = await readJsonFile(file)
      if (read.kind === 'problem') throw invalid(file, `${read.problem.message}; fix it first`)
      const before = read.kind === 'missing' ? '{}\n' : read.text
      if (!isJsonObject(documentOf(before))) throw invalid(file, 'expected an object; fix it first')
      const after = change(before)
      if (after === before) return
      if (Buffer.byteLength(after) > maxJsonBytes)
        throw invalid(file, `would exceed ${maxJsonBytes} bytes; nothing was written`)
      await rejectIgnored(location, before, after)
      const newMode = location.userRoot === null ? 0o600 : 0o644
      const mode = read.kind === 'missing' ? newMode : (await stat(file)).mode & 0o777
      // Replacing the file would succeed even so.
      if ((mode & 0o222) === 0) throw invalid(file, 'is read-only; nothing was written')
      await replaceFile(file, after, mode)
    })
  } catch (error) {
    if (error instanceof CurfewError) throw error
    throw invalid(file, `cannot be written: ${messageOf(error)}`)
  }
}

/** Throws if the change adds a problem: a value that is valid by itself may contradict others, or loosen the user's settings. */
async function rejectIgnored(
  { file, userRoot }: ConfigLocation,
  before: string,
  after: string,
): Promise<void> {
  const user = userRoot === null ? emptyLayer : await readLayer(userRoot, 'user')
  const problemsOf = (text: string) => {
    const layer = toLayer(documentOf(text), file, userRoot === null ? 'user' : 'project')
    const merged =
      userRoot === null
        ? []
        : mergeConfig({ user, project: layer, environment: emptyLayer, flags: emptyLayer }).problems
    return [...layer.problems.filter(({ severity }) => severity === 'error'), ...merged]
  }
  const known = new Set(problemsOf(before).map(({ field, message }) => `${field}: ${message}`))
  const added = problemsOf(after).find(({ field, message }) => !known.has(`${field}: ${message}`))
  if (added !== undefined)
    throw new CurfewError('INVALID_OPTION', `${added.field}: ${added.message}; nothing was written`)
}

function setValue(text: string, key: string, value: unknown, file: string): string {
  const document = documentOf(text)
  const path = pathIn(document, key)
  // `loops: true` says no more than its settings do.
  if (key === 'loops' && value === true && isJsonObject(document.loops)) return text
  // The deepest parent that exists.
  let parent: unknown = document
  let depth = 0
  while (depth < path.length - 1 && isJsonObject(parent) && Object.hasOwn(parent, path[depth]!))
    parent = parent[path[depth++]!]
  if (isJsonObject(parent)) {
    const added = nestIn(path.slice(depth + 1), value)
    return applyEdit(text, editJson(text, pointerTo(path.slice(0, depth + 1)), added)!)
  }
  const group = path.slice(0, depth).join('.')
  const inside = nestIn(path.slice(depth), value)
  const expanded =
    group === 'approval' && typeof parent === 'string'
      ? { default: parent, ...(inside as JsonObject) }
      : group === 'loops' && parent === true
        ? inside
        : null
  if (expanded === null)
    throw invalid(
      file,
      `${group} is ${JSON.stringify(parent)}, so ${key} cannot be set; change or unset ${group} first`,
    )
  return applyEdit(text, editJson(text, pointerTo(path.slice(0, depth)), expanded)!)
}

function removeValue(text: string, key: string, file: string): string {
  const document = documentOf(text)
  const [, group = '', entry = ''] = /^([^.]*)\.?(.*)$/.exec(key)!
  const found = [pathIn(document, key), splitKey(key), ...(isEntryGroup(group) ? [[group, entry]] : [])].find(
    (path) => path.length > 0 && findNode(parseSource(text), path) !== null,
  )
  if (found === undefined) {
    const isGroup = isEntryGroup(group) && splitEntryKey(key) === null
    const problem = findSetting(key) === undefined && !isGroup ? unknownKey(key) : `is not set in ${file}`
    throw new CurfewError('INVALID_OPTION', `${key}: ${problem}`)
  }
  let after = text
  for (let path = found; path.length > 0; path = path.slice(0, -1)) {
    const removal = (): TextEdit | null => editJson(after, pointerTo(path), undefined)
    // Several, if the file repeats the key.
    for (let change = removal(); change !== null; change = removal()) after = applyEdit(after, change)
    // A group that is now empty, without comments, is removed too.
    const parent = findNode(parseSource(after), path.slice(0, -1))!
    if (/[^{}\s]/.test(after.slice(parent.offset, parent.offset + parent.length))) break
  }
  return after
}

/** Where a setting is in a document: `approval` may be a verdict, or an object with a default. */
function pathIn({ approval }: JsonObject, key: string): readonly string[] {
  if (key !== 'approval' && key !== 'approval.default') return pathOf(findSetting(key)?.key ?? key)
  return isJsonObject(approval) ? ['approval', 'default'] : ['approval']
}

/** Splits a key at dots that are not in quotes. */
function splitKey(key: string): readonly string[] {
  return Array.from(key.matchAll(/"([^"]*)"|[^."]+/g), ([text, quoted]) => quoted ?? text)
}

function nestIn(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
}

function pointerTo(path: readonly string[]): string {
  return path.map((name) => `/${escapeKey(name)}`).join('')
}

function documentOf(text: string): JsonObject {
  return parseJsonc(text).value as JsonObject
}

function invalid(file: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${file}: ${problem}`, { field: file })
}
