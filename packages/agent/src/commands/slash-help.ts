import { nearestName } from '@curfew/core/internal'
import type { CommandHost } from './command-host.ts'
import { defineCommand, type SlashCommand, usageOf } from './slash-command.ts'

/** `/help [COMMAND]`. */
export const slashHelp: SlashCommand = defineCommand({
  name: 'help',
  aliases: ['?'],
  summary: 'List the commands, or describe one',
  arguments: { command: { type: 'word', optional: true, summary: 'the name of a command' } },
  run({ host, commands }, { command }) {
    if (command === undefined) {
      const listed = commands().filter(({ hidden }) => !hidden)
      return {
        type: 'table',
        columns: ['command', 'summary'],
        rows: listed.map((one) => [usageOf(one), one.summary]),
        note: [helpNote(host), ...(host.keys === undefined ? [] : [host.keys])].join('\n'),
      }
    }
    const found = findCommand(commands(), command.replace(/^\//, ''))
    if (found === undefined) return { type: 'error', message: unknownCommand(command, commands()) }
    return { type: 'text', text: describe(found) }
  },
})

function helpNote({ mentions = '@path, @url, @server:uri' }: CommandHost): string {
  return `!COMMAND runs a shell command. Mentions (${mentions}) add what they refer to. To send text that starts with / or !, write \\ before it.`
}

export function findCommand(commands: readonly SlashCommand[], name: string): SlashCommand | undefined {
  return commands.find((one) => one.name === name || one.aliases.includes(name))
}

/** Contains only the name, because the arguments may be secret. */
export function unknownCommand(name: string, commands: readonly SlashCommand[]): string {
  const bare = name.replace(/^\//, '')
  const shown = bare.length > 64 ? `${bare.slice(0, 64)}...` : bare
  const names = commands.filter(({ hidden }) => !hidden).flatMap((one) => [one.name, ...one.aliases])
  const near = nearestName(bare, names)
  const hint = near === undefined ? '/help lists the commands.' : `did you mean /${near}?`
  return `unknown command /${shown}; ${hint} To send it as text, write \\/${shown}`
}

function describe(command: SlashCommand): string {
  const { summary, aliases, arguments: args } = command
  const rows = Object.entries(args).map(([name, argument]) => `  ${name.toUpperCase()}: ${argument.summary}`)
  const also = aliases.length === 0 ? [] : [`Also: ${aliases.map((alias) => `/${alias}`).join(', ')}`]
  return [usageOf(command), `${summary}.`, ...rows, ...also].join('\n')
}
