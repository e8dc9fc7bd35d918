import { styleText } from 'node:util'
import type { Tool } from '@curfew/core'
import { describeToolTimeout, resolveToolTimeout } from '@curfew/core/internal'
import { placeIn } from '../config/show-settings.ts'
import { alignColumns, widthOf, wrap } from '../terminal.ts'
import type { ConfiguredTools } from './load-tools.ts'
import { flagsOf } from './tool-flags.ts'

const titles = ['name', 'adapter', 'flags', 'timeout', 'set by']
/** Notes get more if the names leave room for it. */
const maxNotesWidth = 34
const changedNote = '* set by tools in the configuration; curfew tools NAME shows where'

/** One line per tool; on a narrow terminal, several. */
export function toolTable(
  tools: readonly Tool[],
  configured: Pick<ConfiguredTools, 'allow' | 'options' | 'config'>,
  columns: number | undefined,
): string {
  const place = placeIn(configured.config.settings)
  const rows = tools.map((tool) => [
    tool.name,
    tool.adapter,
    flagsOf(tool, configured).join(' ') || '-',
    ...describeToolTimeout(resolveToolTimeout(configured.options, tool), place),
  ])
  const table = alignColumns([titles, ...rows])
  const fits = columns === undefined || table.every((line) => widthOf(line) <= columns)
  const [title = '', ...lines] = fits ? table : narrowTable(rows, columns)
  const note = rows.some(([, , flags]) => flags!.includes('*')) ? [changedNote] : []
  return `${styleText('dim', title)}\n${[...lines, ...note].map((line) => `${line}\n`).join('')}`
}

/**
 * Omits the adapter, which the name already shows. A long name gets its own line, and notes that do not fit after the
 * timeout continue below it.
 */
function narrowTable(rows: readonly (readonly string[])[], columns: number): string[] {
  const cells = rows.map(([name = '', , flags, limit = '', setBy]) => ({
    name,
    limit,
    notes: flags === '-' ? setBy! : `${setBy}; ${flags}`,
  }))
  const limitWidth = Math.max('timeout'.length, ...cells.map(({ limit }) => limit.length))
  const minNotesWidth = Math.min(maxNotesWidth, Math.max(...cells.map(({ notes }) => notes.length)))
  const longestName = Math.max(...cells.map(({ name }) => widthOf(name)))
  const nameWidth = Math.min(longestName, columns - limitWidth - minNotesWidth - 4)
  const notesWidth = columns - limitWidth - nameWidth - 4
  const line = (name: string, limit: string, notes: string): string =>
    `${name.padEnd(nameWidth)}  ${limit.padEnd(limitWidth)}  ${notes}`.trimEnd()
  return [
    line('name', 'timeout', 'set by; flags'),
    ...cells.flatMap(({ name, limit, notes }) => {
      const [first = '', ...more] = wrap(notes, notesWidth)
      const below = more.map((note) => line('', '', note))
      if (widthOf(name) <= nameWidth) return [line(name, limit, first), ...below]
      return [name, line('', limit, first), ...below]
    }),
  ]
}
