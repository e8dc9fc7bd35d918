import { dirname, join } from 'node:path'
import { isCurfewCommand, mcpFileName, type RawServerEntry, serverNameProblem } from '@curfew/mcp/config'
import { checkEntry } from '../check-entry.ts'
import { replaceKeys } from '../plain-keys.ts'
import type { Choice } from './agent-choices.ts'
import { isRecord } from './is-record.ts'
import type { Source } from './source.ts'

/** The result for one server of an agent. */
export type Taken =
  | TakenServer
  /** It is there already: the same, or something else under its name. */
  | { readonly kind: 'there'; readonly from: string; readonly name: string; readonly same: boolean }
  | { readonly kind: 'curfew'; readonly from: string }
  | { readonly kind: 'unapproved'; readonly from: string }
  | { readonly kind: 'unusable'; readonly from: string; readonly why: string }

export interface TakenServer {
  readonly kind: 'taken'
  readonly from: string
  readonly name: string
  readonly entry: RawServerEntry
  readonly notes: readonly string[]
  /** It replaces another server of that name. */
  readonly replaces: boolean
  /** It comes from a repository, and it is unknown whether it was approved. */
  readonly isUnasked: boolean
}

export interface TakeOverOptions {
  /** The `mcp.json` that it goes into. */
  readonly file: string
  /** What stands in there. */
  readonly known: Readonly<Record<string, unknown>>
  readonly choice: Choice
  /** What is written there runs without any further question. */
  readonly isTrusted: boolean
  readonly force: boolean
  /** Use another name if the name is taken. */
  readonly rename: boolean
}

/** Translates one server of an agent into an entry of our file. Writes nothing. */
export function takeOver(
  from: string,
  server: unknown,
  source: Source,
  { file, known, choice, isTrusted, force, rename }: TakeOverOptions,
): Taken {
  if (!isRecord(server)) return { kind: 'unusable', from, why: 'is not an object' }
  if (isOurs(server)) return { kind: 'curfew', from }
  if (choice === 'unapproved') return { kind: 'unapproved', from }
  const name = usableName(from)
  if (name === null) return { kind: 'unusable', from, why: 'has no name that could be used here' }
  const project = { folder: projectOf(source.file), isHome: source.scope === 'user' }
  const { entry: translated, notes } = source.dialect(server, project)
  const isUnasked = choice === 'unasked'
  const isHeldBack = isUnasked && isTrusted && translated.disabled !== true
  const entry = choice === 'off' || isHeldBack ? { ...translated, disabled: true } : translated
  const checked = checkEntry(file, name, withoutLogin(name, entry))
  if (checked.wrong.length > 0) return { kind: 'unusable', from, why: checked.wrong.join('; ') }
  const taken = (as: string, replaces = false): Taken => ({
    kind: 'taken',
    from,
    name: as,
    entry,
    notes: [...notes, ...checked.notes, ...(isHeldBack ? [heldBack] : [])],
    replaces,
    isUnasked,
  })
  if (!Object.hasOwn(known, name)) return taken(name)
  const same = isSame(name, known[name], entry)
  if (same || (!force && !rename)) return { kind: 'there', from, name, same }
  if (force) return taken(name, true)
  const free = freeName(name, source.suffix, known, entry)
  return free.same ? { kind: 'there', from, name: free.name, same: true } : taken(free.name)
}

const heldBack =
  'imported as disabled, because it comes from the repository and this project is trusted already; look at it, then remove "disabled"'

/** The agent has Curfew already. */
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

/** Other agents take names that cannot be part of a tool's name. */
function usableName(name: string): string | null {
  const usable = name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .replace(/^-+|[-_]+$/g, '')
    .slice(0, 64)
  return serverNameProblem(usable) === null ? usable : null
}

/** The project that an agent's file belongs to: `.cursor/mcp.json` stands one folder below it. */
function projectOf(file: string): string {
  const folder = dirname(file)
  return /[\\/]\.(cursor|codex|gemini)$/.test(folder) ? dirname(folder) : folder
}

export function fileIn(root: string): string {
  return join(root, mcpFileName)
}
