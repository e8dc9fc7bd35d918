import { shortPath } from '../../short-path.ts'
import { oneLine } from '../../terminal.ts'
import { ownCommand } from './own-command.ts'
import type { Source } from './source.ts'

/** An agent's file whose servers were imported. */
export interface Replaced {
  readonly source: Source
  /** The parsed file. */
  readonly document: unknown
  /** The names in the agent's file. */
  readonly names: readonly string[]
  /** Whether Curfew is already one of its servers. */
  readonly hasCurfew: boolean
}

/** The change to one of an agent's files that makes it use Curfew. */
export interface Change {
  readonly source: Source
  /** The location of the servers in the file. */
  readonly place: string
  readonly remove: readonly string[]
  /** The entry for Curfew, if it belongs in this file. */
  readonly add: Readonly<Record<string, unknown>> | null
}

/** Plans the changes to the agents' files. An agent needs one entry for Curfew, however many files it has. */
export function planChanges(replaced: readonly Replaced[]): readonly Change[] {
  const agents = [...new Set(replaced.map(({ source }) => source.agent))]
  return agents.flatMap((agent) => changesForAgent(replaced.filter(({ source }) => source.agent === agent)))
}

function changesForAgent(files: readonly Replaced[]): readonly Change[] {
  const changed = files.filter(({ names }) => names.length > 0)
  // An entry for one project does not apply to the others.
  const isUserLevel = changed.some(({ source }) => source.scope === 'user')
  const known = files.some(({ source, hasCurfew }) => hasCurfew && (!isUserLevel || source.scope === 'user'))
  return changed.map(({ source, document, names }, index) => ({
    source,
    place: source.placeIn(document),
    remove: names,
    add: known || index > 0 ? null : source.curfewEntry(ownCommand(), document),
  }))
}

/** Instructions for making the changes by hand. */
export function describeChanges(changes: readonly Change[]): string {
  const agents = [...new Set(changes.map(({ source }) => source.agent))]
  return agents
    .map((agent) => {
      const agentChanges = changes.filter(({ source }) => source.agent === agent)
      const lines = agentChanges.flatMap((change) => {
        const names = change.remove.map((name) => oneLine(name))
        return names.length === 0 ? [] : [`- in ${placeOf(change)}: remove ${names.join(', ')}\n`]
      })
      const addition = agentChanges.find(({ add }) => add !== null)
      if (addition === undefined) return `${lines.join('')}- curfew is already configured\n`
      const text = addition.source.file.endsWith('.toml')
        ? tomlEntry(addition.add!)
        : jsonEntry(addition.add!)
      return `${lines.join('')}- in ${placeOf(addition)}: add\n\n${text.replace(/^(?=.)/gm, '    ')}`
    })
    .join('\n')
}

function placeOf({ source, place }: Change): string {
  return `${shortPath(source.file)}, ${place}`
}

function jsonEntry(server: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(server).map(([key, value]) => `${JSON.stringify(key)}: ${inline(value)}`)
  return `"curfew": { ${members.join(', ')} }\n`
}

/** JSON strings are valid TOML strings. */
export function tomlEntry(server: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(server).map(([key, value]) => `${key} = ${inline(value)}\n`)
  return `[mcp_servers.curfew]\n${lines.join('')}`
}

function inline(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]`
    : JSON.stringify(value)
}
