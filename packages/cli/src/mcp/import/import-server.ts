import { join } from 'node:path'
import { isJsonObject } from '@curfew/core/internal'
import { isCurfewCommand, mcpFileName, type RawServerEntry, serverNameProblem } from '@curfew/mcp/config'
import { checkEntry } from '../check-entry.ts'
import { replaceKeys } from '../plain-keys.ts'
import type { Choice } from './agent-choices.ts'
import { differingFields } from './compare-servers.ts'
import type { Source } from './source.ts'
import type { NamedSecret } from './translation.ts'

/** The result for one of an agent's servers. */
export type ImportResult =
  | ImportedServer
  /** The name is already in use, by the same server or by another one. */
  | ExistingServer
  | { readonly kind: 'curfew'; readonly from: string }
  | { readonly kind: 'unapproved'; readonly from: string }
  | { readonly kind: 'unusable'; readonly from: string; readonly reason: string }

export interface ImportedServer {
  readonly kind: 'imported'
  readonly from: string
  readonly name: string
  readonly entry: RawServerEntry
  readonly notes: readonly string[]
  /** Secrets that the user has to store. */
  readonly secrets: readonly NamedSecret[]
  /** It replaces another server of that name. */
  readonly replaces: boolean
  /** It comes from a repository, and it is unknown whether it was approved. */
  readonly isApprovalUnknown: boolean
}

export interface ExistingServer {
  readonly kind: 'exists'
  readonly from: string
  readonly name: string
  /** It is the same server; `fields` is empty. */
  readonly same: boolean
  /** The fields in which the two differ. */
  readonly fields: readonly string[]
  /** The agent's server. */
  readonly entry: RawServerEntry
}

export interface ImportServerOptions {
  /** The `mcp.json` to import into. */
  readonly file: string
  /** Its current servers. */
  readonly known: Readonly<Record<string, unknown>>
  readonly choice: Choice
  /** The agent's parsed file. */
  readonly document: unknown
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
  { file, known, choice, document, isTrusted, force, rename }: ImportServerOptions,
): ImportResult {
  if (!isJsonObject(server)) return { kind: 'unusable', from, reason: 'is not an object' }
  if (isOurs(from, server)) return { kind: 'curfew', from }
  if (choice === 'unapproved') return { kind: 'unapproved', from }
  const name = validName(from)
  if (name === null) return { kind: 'unusable', from, reason: 'has no valid name' }
  const { folder, scope, file: agentFile } = source
  const translated = source.dialect(server, {
    name,
    folder,
    isHome: scope === 'user',
    file: agentFile,
    document,
  })
  if (translated.unusable !== null) return { kind: 'unusable', from, reason: translated.unusable }
  const { secrets, notes } = translated
  const isApprovalUnknown = choice === 'unknown'
  const isDisabled = isApprovalUnknown && isTrusted && translated.entry.disabled !== true
  const entry = choice === 'off' || isDisabled ? { ...translated.entry, disabled: true } : translated.entry
  const checked = checkEntry(file, name, withoutLogin(name, entry))
  if (checked.errors.length > 0) return { kind: 'unusable', from, reason: checked.errors.join('; ') }
  const imported = (as: string, replaces = false): ImportResult => ({
    kind: 'imported',
    from,
    name: as,
    entry,
    notes: [...notes, ...checked.notes, ...(isDisabled ? [disabledNote] : [])],
    secrets,
    replaces,
    isApprovalUnknown,
  })
  const exists = (as: string): ImportResult => {
    const fields = differingFields(as, known[as], entry)
    return { kind: 'exists', from, name: as, same: fields.length === 0, fields, entry }
  }
  if (!Object.hasOwn(known, name)) return imported(name)
  const existing = exists(name)
  if ((existing.kind === 'exists' && existing.same) || (!force && !rename)) return existing
  if (force) return imported(name, true)
  const free = freeName(name, source.suffix, known, entry)
  return Object.hasOwn(known, free) ? exists(free) : imported(free)
}

const disabledNote =
  'imported as disabled, because it comes from the repository and this project is already trusted; review it, then remove "disabled"'

/** Whether the server is Curfew itself: its command in any agent's notation, or the gateway of `curfew mcp --http`. */
export function isOurs(name: string, server: unknown): boolean {
  if (!isJsonObject(server)) return false
  const { command, args, url } = server
  const nested = isJsonObject(command) ? command : { path: command, args }
  const words = Array.isArray(command)
    ? command
    : [nested.path, ...(Array.isArray(nested.args) ? nested.args : [])]
  const [program, ...rest] = words
  if (typeof program === 'string') return isCurfewCommand(program, rest.map(String))
  const address = url ?? server.serverUrl ?? server.httpUrl
  return name === 'curfew' && /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/.test(String(address))
}

/** A login in the URL is an error in the file, but it can be stored as a secret. */
function withoutLogin(name: string, entry: RawServerEntry): RawServerEntry {
  return replaceKeys(name, entry, ({ field, name: secret }) => (field === 'url' ? secret : null))
}

/** `github-claude`, `github-claude-2`, ...: the first name that is free or already belongs to this server. */
function freeName(
  name: string,
  suffix: string,
  known: Readonly<Record<string, unknown>>,
  entry: RawServerEntry,
): string {
  for (let count = 1; ; count++) {
    const candidate = `${name.slice(0, 50)}-${suffix}${count === 1 ? '' : `-${count}`}`
    const isFree = !Object.hasOwn(known, candidate)
    if (isFree || differingFields(candidate, known[candidate], entry).length === 0) return candidate
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

export function fileIn(root: string): string {
  return join(root, mcpFileName)
}
