import type { Argument, Command, Option } from '../command.ts'

/** A label and its description, such as `--json` and `Print one JSON object`. */
export type Row = readonly [label: string, text: string]

/** A command's usage lines, without `Usage:`. */
export function usageLines(command: Command, path: string): readonly string[] {
  if (command.usage !== null) return command.usage.map((line) => `${path} ${line}`.trimEnd())
  const { run, runRaw, options, subcommands } = command
  const lines: string[] = []
  if (run !== null || runRaw !== null) {
    const args = Object.values(command.arguments).map(showArgument)
    lines.push([path, ...(Object.keys(options).length > 0 ? ['[OPTIONS]'] : []), ...args].join(' '))
  }
  if (subcommands.length > 0) lines.push(`${path} COMMAND [ARGUMENTS]`)
  return lines
}

function showArgument({ placeholder, optional, multiple, afterDashes }: Argument): string {
  const name = `${afterDashes ? '-- ' : ''}${placeholder}${multiple ? '...' : ''}`
  return optional ? `[${name}]` : name
}

export function argumentRows(command: Command): readonly Row[] {
  return Object.values(command.arguments).map(({ placeholder, summary }) => [placeholder, summary])
}

export function optionRows(command: Command): readonly Row[] {
  const rows = Object.entries(command.options).map(
    ([name, option]): Row => [optionLabel(name, option), describeOption(option)],
  )
  return [...rows, ['-h, --help', 'Show this help']]
}

/** `-e, --env NAME=VALUE` */
function optionLabel(name: string, option: Option): string {
  const short = option.short === undefined ? '' : `-${option.short}, `
  if (option.type === 'boolean') return `${short}--${name}`
  return `${short}--${name} ${option.optionalValue ? `[${option.placeholder}]` : option.placeholder}`
}

/** The summary, with the default and similar notes in parentheses. */
function describeOption(option: Option): string {
  const notes = [
    option.type !== 'boolean' && option.multiple ? 'repeatable' : '',
    option.type !== 'boolean' && option.default !== undefined ? `default: ${option.default}` : '',
    option.requires === undefined ? '' : `requires ${option.requires.map((name) => `--${name}`).join(', ')}`,
  ].filter((note) => note !== '')
  return notes.length === 0 ? option.summary : `${option.summary} (${notes.join('; ')})`
}

export function commandRows(command: Command): readonly Row[] {
  return command.subcommands.map(({ name, summary }) => [name, summary])
}

export function exitCodeRows(command: Command): readonly Row[] {
  return Object.entries(command.exitCodes)
}
