import { type CommandResult, textOfResult } from '@curfew/agent'
import type { CallResult } from '@curfew/core'
import { alignColumns, foldTo, hang } from '../terminal.ts'

type Table = Extract<CommandResult, { type: 'table' }>
type Choices = Extract<CommandResult, { type: 'choices' }>

/** What a command printed. On a terminal, tables, lists and long lines are wrapped, and of a shell command only the output is shown. */
export function showCommandResult(result: CommandResult, columns: number | undefined): string {
  if (columns === undefined) return textOfResult(result)
  if (result.type === 'call') return outputOfShell(result.result) ?? textOfResult(result)
  if (result.type === 'choices')
    return foldTo(columns, [result.title, ...wrapChoices(result, columns)].join('\n'))
  if (result.type === 'text') return foldTo(columns, result.text)
  if (result.type !== 'table') return textOfResult(result)
  const { columns: titles, rows, note } = result
  const lines = rows.length === 0 ? [] : wrapRows([titles, ...rows], columns)
  return [...lines, ...(note === undefined ? [] : [foldTo(columns, note)])].join('\n')
}

/** Narrower text is hard to read. */
const minWidth = 24

function wrapChoices({ choices }: Choices, columns: number): string[] {
  const width = Math.max(0, ...choices.map(({ input }) => input.length)) + 2
  return choices.flatMap(({ input, description }) => hang(input.padEnd(width), description, columns))
}

/** If the other columns leave too little room, the last one is below them. */
function wrapRows(all: Table['rows'], columns: number): string[] {
  const leads = alignColumns(all.map((row) => row.slice(0, -1)))
  const width = Math.max(...leads.map((lead) => lead.length)) + 2
  return all.flatMap((row, index) => {
    const last = row.at(-1)!
    const lead = leads[index]!
    if (columns - width >= minWidth) return hang(lead.padEnd(width), last, columns)
    return [lead, ...(index === 0 ? [] : hang('    ', last, columns))]
  })
}

/** What `run_command` or `timeout` returned, as a shell would show it; `null` for other tools. */
function outputOfShell(result: CallResult): string | null {
  if (result.status === 'success' && result.name === 'run_command')
    return result.content.replace(/^\[exit code 0 after [^\]\n]*\]\n?/, '')
  if (result.status !== 'success' || result.name !== 'timeout') return null
  const { stdout, stderr, outcome, exit_code } = parse(result.content)
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return null
  const end = outcome === 'exited' ? `exit code ${exit_code}` : String(outcome).replaceAll('_', ' ')
  const isFine = outcome === 'exited' && exit_code === 0
  return [stdout, stderr, isFine ? '' : end]
    .map((text) => text.replace(/\n$/, ''))
    .filter((text) => text !== '')
    .join('\n')
}

/** Not the value of the result, in which secrets are not redacted. A long result is cut off, so it cannot be parsed. */
function parse(content: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(content)) as Record<string, unknown>
  } catch {
    return {}
  }
}
