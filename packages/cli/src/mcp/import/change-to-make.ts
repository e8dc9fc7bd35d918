import { shortPath } from '../../short-path.ts'
import { oneLine } from '../../terminal.ts'
import type { Source } from './agents.ts'
import { ownCommand } from './own-command.ts'

/** A file of an agent whose servers are ours now. */
export interface Replaced {
  readonly source: Source
  /** As the agent calls them. */
  readonly names: readonly string[]
  /** Curfew is one of its servers already. */
  readonly hasCurfew: boolean
}

/** What to change in the files of agents, so that they ask Curfew. We never write there. */
export function changesToMake(replaced: readonly Replaced[]): string {
  const agents = [...new Set(replaced.map(({ source }) => source.agent))]
  return agents
    .map((agent) => changesOfOne(replaced.filter(({ source }) => source.agent === agent)))
    .filter((text) => text !== '')
    .join('\n')
}

/** One entry is enough for an agent, whatever the number of its files. */
function changesOfOne(files: readonly Replaced[]): string {
  // What is written down for one project alone is not there in the others.
  const everywhere = files.some(({ source, names }) => source.scope === 'user' && names.length > 0)
  const known = files.some(({ source, hasCurfew }) => hasCurfew && (!everywhere || source.scope === 'user'))
  const holder = known ? undefined : files.find(({ names }) => names.length > 0)
  const lines = files
    .filter(({ names }) => names.length > 0)
    .map(
      ({ source, names }) =>
        `- in ${placeOf(source)}: take out ${names.map((name) => oneLine(name)).join(', ')}`,
    )
  if (lines.length === 0) return ''
  if (holder === undefined) return `${lines.join('\n')}\n- curfew is there already\n`
  const entry = holder.source.file.endsWith('.toml') ? tomlEntry() : jsonEntry(holder.source.agent)
  return `${lines.join('\n')}\n- in ${placeOf(holder.source)}: put in\n\n${entry.replace(/^(?=.)/gm, '    ')}`
}

function placeOf({ file, place }: Source): string {
  return `${shortPath(file)}, ${place}`
}

/** Gemini gives up after ten minutes unless it is told otherwise; the limits are ours. */
function jsonEntry(agent: string): string {
  const { command, args } = startOfOurs()
  const timeout = agent === 'Gemini CLI' ? ', "timeout": 3600000' : ''
  return `"curfew": { "command": ${command}, "args": [${args}]${timeout} }\n`
}

/** Codex gives up after a minute. */
function tomlEntry(): string {
  const { command, args } = startOfOurs()
  return `[mcp_servers.curfew]\ncommand = ${command}\nargs = [${args}]\ntool_timeout_sec = 3600\n`
}

/** Agents put `mcp__curfew__` or the like before names; together they may have 64 characters, and 60 with Cursor. */
function startOfOurs(): { readonly command: string; readonly args: string } {
  const { command, args } = ownCommand()
  const list = [...args, '--name-limit', '51'].map((arg) => JSON.stringify(arg)).join(', ')
  return { command: JSON.stringify(command), args: list }
}
