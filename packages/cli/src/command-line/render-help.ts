import type { Argument, Command, Option } from '../command.ts'
import { wrap } from '../terminal.ts'

const width = 80
/** A longer label gets its own line. */
const maxLabelWidth = 24

/** The text of `--help`, at most 80 columns wide. `docsFolder` contains the guides. */
export function renderHelp(command: Command, path: string, docsFolder: string): string {
  const sections = [
    usage(command, path),
    wrap(`${command.summary}.`, width),
    ...command.description.map((paragraph) => wrap(paragraph, width)),
    list('Commands:', commandRows(command)),
    list('Arguments:', argumentRows(command)),
    list('Options:', optionRows(command)),
    ...command.notes.map((paragraph) => wrap(paragraph, width)),
    examples(command),
    list('Exit codes:', exitCodeRows(command)),
    seeAlso(command, docsFolder),
  ]
  return join(sections)
}

/** The commands, and how to ask a model, without the many options of `-p`, which would scroll them off the screen. */
export function renderOverview(command: Command): string {
  const { name, summary, notes } = command
  return join([
    usage(command, name),
    wrap(`${summary}.`, width),
    list('Commands:', commandRows(command)),
    examples(command),
    wrap(`${name} --help lists the options of ${name} -p. ${notes.join(' ')}`, width),
  ])
}

function usage(command: Command, path: string): readonly string[] {
  const [first, ...more] = usageLines(command, path)
  return [`Usage: ${first}`, ...more.map((line) => `       ${line}`)]
}

function join(sections: readonly (readonly string[])[]): string {
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function list(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return []
  const labels = rows.map(([label]) => label.length).filter((length) => length <= maxLabelWidth)
  const indent = 4 + Math.max(...labels)
  return [title, ...rows.flatMap(([label, text]) => row(label, text, indent))]
}

function row(label: string, text: string, indent: number): readonly string[] {
  const lines = wrap(text, width - indent)
  const below = (line: string): string => ' '.repeat(indent) + line
  if (label.length > indent - 4) return [`  ${label}`, ...lines.map(below)]
  return [`  ${label}`.padEnd(indent) + lines[0], ...lines.slice(1).map(below)]
}

function examples({ examples }: Command): readonly string[] {
  const lines = Object.entries(examples).flatMap(([command, summary]) => [
    `  ${command}`,
    ...wrap(summary, width - 6).map((line) => `      ${line}`),
  ])
  return lines.length === 0 ? [] : ['Examples:', ...lines]
}

function seeAlso({ seeAlso, guide }: Command, docsFolder: string): readonly string[] {
  const commands = seeAlso.length === 0 ? [] : [seeAlso.map((name) => `${name} --help`).join(', ')]
  const lines = [...commands, ...(guide === null ? [] : [`${docsFolder}/${guide}`])]
  return lines.length === 0 ? [] : ['See also:', ...lines.map((line) => `  ${line}`)]
}

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
