import type { CommandHost } from './command-host.ts'
import { type SlashCommand, usageOf } from './slash-command.ts'
import { findCommand } from './slash-help.ts'

/** One way to complete what a person has typed. */
export interface Candidate {
  /** Replaces the text from `start` to `end`. */
  readonly value: string
  readonly description: string
  readonly start: number
  readonly end: number
}

const maxCandidates = 100

/** Completes the name of a command, one of its arguments, or the server or path of a mention. */
export function completeCommand(
  host: CommandHost,
  commands: readonly SlashCommand[],
  text: string,
  cursor: number,
): Candidate[] {
  const before = text.slice(0, cursor)
  const mention = /(?<=^|\s)@([^\s:@]*)$/.exec(before)
  if (mention !== null) {
    const servers = (host.mcp?.servers() ?? []).map((name) => ({
      value: `@${name}:`,
      description: 'resources of this server',
    }))
    const files = (host.completePath?.(mention[1]!) ?? []).map((path) => ({
      value: path.includes(' ') ? `@"${path}"` : `@${path}`,
      description: path.endsWith('/') ? 'folder' : 'file',
    }))
    return select([...servers, ...files], mention[0], mention.index, cursor)
  }
  const [, indent, name, rest] = /^(\s*)\/([^\s/]*)(\s.*)?$/s.exec(before) ?? []
  if (name === undefined) return []
  const start = indent!.length
  if (rest === undefined) {
    const names = commands.filter(({ hidden }) => !hidden).flatMap(namesOf)
    return select(names, `/${name}`, start, cursor)
  }
  const command = findCommand(commands, name)
  return command === undefined ? [] : completeArgument(host, command, rest, cursor)
}

function namesOf(command: SlashCommand): { value: string; description: string }[] {
  const usage = usageOf(command).slice(command.name.length + 2)
  const description = usage === '' ? command.summary : `${usage}  ${command.summary}`
  return [command.name, ...command.aliases].map((name) => ({ value: `/${name}`, description }))
}

function completeArgument(
  host: CommandHost,
  { arguments: args }: SlashCommand,
  rest: string,
  cursor: number,
): Candidate[] {
  const words = rest.trimStart().split(/\s+/)
  const argument = Object.values(args)[words.length - 1]
  if (argument === undefined) return []
  const choices = argument.choices?.map((value) => ({ value, description: argument.summary }))
  const word = words.at(-1)!
  return select(choices ?? argument.complete?.(host) ?? [], word, cursor - word.length, cursor)
}

/** Those that start with the typed text, then those that contain it. */
function select(
  candidates: readonly { readonly value: string; readonly description: string }[],
  typed: string,
  start: number,
  end: number,
): Candidate[] {
  const wanted = typed.toLowerCase()
  const inside = wanted.replace(/^[/@]/, '')
  const starts = candidates.filter(({ value }) => value.toLowerCase().startsWith(wanted))
  const contains = candidates.filter(
    (candidate) => !starts.includes(candidate) && candidate.value.toLowerCase().includes(inside),
  )
  return [...starts, ...contains]
    .slice(0, maxCandidates)
    .map(({ value, description }) => ({ value, description, start, end }))
}
