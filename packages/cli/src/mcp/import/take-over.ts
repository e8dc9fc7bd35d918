import { dirname, join } from 'node:path'
import {
  addServer,
  isCurfewItself,
  mcpFileName,
  serverNameProblem,
  type WrittenServer,
} from '@curfew/mcp/config'
import { checkEntry } from '../check-entry.ts'
import type { Source } from './agents.ts'
import { isRecord } from './is-record.ts'

export type Taken =
  | {
      readonly kind: 'taken'
      readonly from: string
      readonly name: string
      readonly entry: WrittenServer
      readonly notes: readonly string[]
    }
  /** It is there already: the same, or something else under its name. */
  | { readonly kind: 'there'; readonly from: string; readonly name: string; readonly same: boolean }
  | { readonly kind: 'curfew'; readonly from: string }
  | { readonly kind: 'unusable'; readonly from: string; readonly why: string }

export interface TakeOverOptions {
  /** The `mcp.json` that it goes into. */
  readonly file: string
  /** What stands in there. */
  readonly known: Readonly<Record<string, unknown>>
  readonly force: boolean
  readonly dryRun: boolean
}

/** One server of an agent, into our file. */
export async function takeOver(
  from: string,
  server: unknown,
  source: Source,
  { file, known, force, dryRun }: TakeOverOptions,
): Promise<Taken> {
  if (!isRecord(server)) return { kind: 'unusable', from, why: 'is not an object' }
  if (isOurs(server)) return { kind: 'curfew', from }
  const name = usableName(from)
  if (name === null) return { kind: 'unusable', from, why: 'has no name that could be used here' }
  const { entry, notes } = source.dialect(server, projectOf(source.file))
  const checked = checkEntry(file, name, entry)
  if (checked.wrong.length > 0) return { kind: 'unusable', from, why: checked.wrong.join('; ') }
  if (Object.hasOwn(known, name)) {
    const same = JSON.stringify(known[name]) === JSON.stringify(entry)
    if (same || !force) return { kind: 'there', from, name, same }
  }
  if (!dryRun && (await addServer(file, name, entry, { force })) === 'exists')
    return { kind: 'there', from, name, same: false }
  return { kind: 'taken', from, name, entry, notes: [...notes, ...checked.notes] }
}

/** The agent has Curfew already. */
export function isOurs(server: unknown): boolean {
  const { command, args } = isRecord(server) ? server : {}
  return typeof command === 'string' && isCurfewItself(command, Array.isArray(args) ? args.map(String) : [])
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
