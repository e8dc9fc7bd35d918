import { dirname, join } from 'node:path'
import { isCurfewCommand, mcpFileName, type RawServerEntry, serverNameProblem } from '@curfew/mcp/config'
import { checkEntry } from '../check-entry.ts'
import { replaceKeys } from '../plain-keys.ts'
import type { Choice } from './agent-choices.ts'
import { isRecord } from './is-record.ts'
import type { Source } from './source.ts'

/** The result for one of an agent's servers. */
export type ImportResult =
  | ImportedServer
  /** The name is already in use, by the same server or by another one. */
  | { readonly kind: 'exists'; readonly from: string; readonly name: string; readonly same: boolean }
  | { readonly kind: 'curfew'; readonly from: string }
  | { readonly kind: 'unapproved'; readonly from: string }
  | { readonly kind: 'unusable'; readonly from: string; readonly reason: string }

export interface ImportedServer {
  readonly kind: 'imported'
  readonly from: string
  readonly name: string
  readonly entry: RawServerEntry
  readonly notes: readonly string[]
  /** It replaces another server of that name. */
  readonly replaces: boolean
  /** It comes from a repository, and it is unknown whether it was approved. */
  readonly isApprovalUnknown: boolean
}

export interface ImportServerOptions {
  /** The `mcp.json` to import into. */
  readonly file: string
  /** Its current servers. */
  readonly known: Readonly<Record<string, unknown>>
  readonly choice: Choice
  /** Servers in this file run without any further approval. */
  readonly isTrusted: boolean
  readonly force: boolean
  /** Use another name if the name is already in use. */
  readonly rename: boolean
}

/** Translates one of an agent's servers into an entry for `mcp.json`. Writes nothing. */
export function importServer(
  from: string,
  server: unknown,
  source: Source,
  { file, known, choice, isTrusted, force, rename }: ImportServerOptions,
): ImportResult {
  if (!isRecord(server)) return { kind: 'unusable', from, reason: 'is not an object' }
  if (isOurs(server)) return { kind: 'curfew', from }
  if (choice === 'unapproved') return { kind: 'unapproved', from }
  const name = validName(from)
  if (name === null) return { kind: 'unusable', from, reason: 'has no valid name' }
  const project = { folder: projectOf(source.file), isHome: source.scope === 'user' }
  const { entry: translated, notes } = source.dialect(server, project)
  const isApprovalUnknown = choice === 'unknown'
  const isDisabled = isApprovalUnknown && isTrusted && translated.disabled !== true
  const entry = choice === 'off' || isDisabled ? { ...translated, disabled: true } : translated
  const checked = checkEntry(file, name, withoutLogin(name, entry))
  if (checked.errors.length > 0) return { kind: 'unusable', from, reason: checked.errors.join('; ') }
  const imported = (as: string, replaces = false): ImportResult => ({
    kind: 'imported',
    from,
    name: as,
    entry,
    notes: [...notes, ...checked.notes, ...(isDisabled ? [disabledNote] : [])],
    replaces,
    isApprovalUnknown,
  })
  if (!Object.hasOwn(known, name)) return imported(name)
  const same = isSame(name, known[name], entry)
  if (same || (!force && !rename)) return { kind: 'exists', from, name, same }
  if (force) return imported(name, true)
  const free = freeName(name, source.suffix, known, entry)
  return free.same ? { kind: 'exists', from, name: free.name, same: true } : imported(free.name)
}

const disabledNote =
  'imported as disabled, because it comes from the repository and this project is already trusted; review it, then remove "disabled"'

/** Whether the server is Curfew itself. */
export function isOurs(server: unknown): boolean {
  const { command, args } = isRecord(server) ? server : {}
  return typeof command === 'string' && isCurfewCommand(command, Array.isArray(args) ? args.map(String) : [])
}

/** A login in the URL is an error in the file, but it can be stored as a secret. */
function withoutLogin(name: string, entry: RawServerEntry): RawServerEntry {
  return replaceKeys(name, entry, ({ field, name: secret }) => (field === 'url' ? secret : null))
}

/** Compares two entries, ignoring `disabled` and whether a key was replaced by a secret. */
function isSame(name: string, known: unknown, entry: RawServerEntry): boolean {
  const bare = (one: unknown): string => {
    const { disabled: _, ...rest } = isRecord(one) ? one : {}
    return JSON.stringify(replaceKeys(name, rest, () => 'X')).replaceAll(/secret:\w+/g, 'secret:X')
  }
  return bare(known) === bare(entry)
}

/** `github-claude`, `github-claude-2`, ...: the first name that is free or already belongs to this server. */
function freeName(
  name: string,
  suffix: string,
  known: Readonly<Record<string, unknown>>,
  entry: RawServerEntry,
): { readonly name: string; readonly same: boolean } {
  for (let count = 1; ; count++) {
    const candidate = `${name.slice(0, 50)}-${suffix}${count === 1 ? '' : `-${count}`}`
    if (!Object.hasOwn(known, candidate)) return { name: candidate, same: false }
    if (isSame(candidate, known[candidate], entry)) return { name: candidate, same: true }
  }
}

/** Other agents allow names that cannot be part of a tool's name. */
function validName(name: string): string | null {
  const valid = name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .replace(/^-+|[-_]+$/g, '')
    .slice(0, 64)
  return serverNameProblem(valid) === null ? valid : null
}

/** The project of an agent's file; `.cursor/mcp.json` is one folder below it. */
function projectOf(file: string): string {
  const folder = dirname(file)
  return /[\\/]\.(cursor|codex|gemini)$/.test(folder) ? dirname(folder) : folder
}

export function fileIn(root: string): string {
  return join(root, mcpFileName)
}
