import type { CallRow } from '@curfew/core'
import { alignColumns } from '@curfew/core/internal'
import { oneLine } from './one-line.ts'
import type { CommandResult } from './slash-command.ts'

/** A command's result as plain text, for programs without a terminal. */
export function textOfResult(result: CommandResult): string {
  switch (result.type) {
    case 'none':
      return ''
    case 'text':
      return result.text
    case 'error':
      return result.message
    case 'table':
      return [
        ...(result.rows.length === 0 ? [] : alignColumns([result.columns, ...result.rows])),
        result.note ?? [],
      ]
        .flat()
        .join('\n')
    case 'choices':
      return [
        result.title,
        ...alignColumns(result.choices.map(({ input, description }) => [input, description])),
      ].join('\n')
    case 'calls':
      return result.rows.length === 0
        ? 'There are no calls.'
        : alignColumns([['call', 'tool', 'state', 'arguments'], ...result.rows.map(cells)]).join('\n')
    case 'call':
      return result.result.content
    case 'prompt':
      return result.parts.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n')
  }
}

function cells({ uid, name, status, code, args }: CallRow): string[] {
  // Models choose both.
  return [String(uid), oneLine(name), code ?? status, oneLine(args)]
}
