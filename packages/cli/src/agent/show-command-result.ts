import { type CommandResult, textOfResult } from '@curfew/agent'
import { alignColumns, foldTo, hang } from '../terminal.ts'

type Table = Extract<CommandResult, { type: 'table' }>

/** What a command printed. On a terminal, the last column of a table is wrapped within its column. */
export function showCommandResult(result: CommandResult, columns: number | undefined): string {
  if (columns === undefined || result.type !== 'table') return textOfResult(result)
  const { rows, note } = result
  const lines = rows.length === 0 ? [] : wrapRows(result, columns)
  return [...lines, ...(note === undefined ? [] : [foldTo(columns, note)])].join('\n')
}

/** Narrower text is hard to read. */
const minWidth = 24

/** If the other columns leave too little room, the last one is below them. */
function wrapRows({ columns: titles, rows }: Table, columns: number): string[] {
  const all = [titles, ...rows]
  const leads = alignColumns(all.map((row) => row.slice(0, -1)))
  const width = Math.max(...leads.map((lead) => lead.length)) + 2
  return all.flatMap((row, index) => {
    const last = row.at(-1)!
    const lead = leads[index]!
    if (columns - width >= minWidth) return hang(lead.padEnd(width), last, columns)
    return [lead, ...(index === 0 ? [] : hang('    ', last, columns))]
  })
}
