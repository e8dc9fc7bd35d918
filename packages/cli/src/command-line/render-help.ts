import type { Command } from '../command.ts'
import { wrap } from '../terminal.ts'
import {
  argumentRows,
  commandRows,
  exitCodeRows,
  optionRows,
  type Row,
  usageLines,
} from './describe-command.ts'

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
