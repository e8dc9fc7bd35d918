import { styleText } from 'node:util'
import { formatDuration, type Tool } from '@curfew/core'
import {
  describeToolTimeout,
  describeUse,
  resolveToolTimeout,
  toolView,
  type View,
} from '@curfew/core/internal'
import { formatSetting, placeIn, showSource } from '../config/show-settings.ts'
import { shortPath } from '../short-path.ts'
import { alignColumns, hang, widthOf, wrap } from '../terminal.ts'
import type { ConfiguredTools } from './load-tools.ts'
import { flagsOf, toolOverrides } from './tool-flags.ts'

/** Everything that is known about one tool. */
export function showTool(
  tool: Tool,
  configured: Pick<ConfiguredTools, 'files' | 'allow' | 'options' | 'config'>,
  columns: number | undefined,
): string {
  const { secrets, secretUse, idleTimeoutMs, server, adapter } = tool
  const { files, options, config } = configured
  const timeout = resolveToolTimeout(options, tool)
  const [effective, requested] = [timeout, timeout.requested].map(
    (one) => one && describeToolTimeout(one, placeIn(config.settings)).join(', '),
  )
  const file = files.get(tool.name)
  const flags = flagsOf(tool, configured)
  const rows: readonly (readonly [title: string, text: string | undefined])[] = [
    ['timeout', `${effective}${requested === undefined ? '' : ` instead of ${requested}`}`],
    [
      'idle',
      idleTimeoutMs === null ? undefined : `${formatDuration(idleTimeoutMs)} without output or progress`,
    ],
    ['flags', flags.join(', ') || undefined],
    ['secrets', secrets.length === 0 ? undefined : `${secrets.join(', ')}, for ${describeUse(secretUse)}`],
    ['kind', server === undefined ? adapter : `${adapter}, MCP server ${server}`],
    ['from', file === undefined ? 'built in' : shortPath(file)],
    ...toolOverrides(tool, config).map((setting): readonly [string, string] => [
      'set',
      `${setting.key} = ${formatSetting(setting)} in ${showSource(setting)}`,
    ]),
  ]
  const details = rows.flatMap(([title, text]) =>
    text === undefined ? [] : hang(`  ${styleText('dim', title.padEnd(7))}  `, text, columns),
  )
  return `${showAsModel(tool, 'full', columns)}${details.join('\n')}\n`
}

/** The tool as a model sees it. */
export function showAsModel(tool: Tool, view: View, columns: number | undefined): string {
  const { name, description, parameters } = toolView(tool, view)
  if (description === undefined) return `${name}\n`
  const lines = [styleText('bold', name), ...hang('  ', description, columns)]
  const required = Array.isArray(parameters?.required) ? parameters.required : []
  for (const [parameter, schema] of Object.entries(Object(parameters?.properties))) {
    const notes = [...notesOn(schema), required.includes(parameter) ? 'required' : ''].filter(Boolean)
    const about = String(Object(schema).description ?? '')
    const kind = notes.length === 0 ? '' : ` (${notes.join(', ')})`
    lines.push(...hang('    ', `${parameter}${kind} ${about}`, columns, 8))
  }
  return `${lines.join('\n')}\n\n`
}

function notesOn(schema: unknown): string[] {
  const { type, enum: choices, default: fallback } = Object(schema)
  const notes = [Array.isArray(type) ? type.join(' or ') : String(type ?? '')]
  if (Array.isArray(choices))
    notes.push(`one of ${choices.map((choice) => JSON.stringify(choice)).join(' ')}`)
  if (fallback !== undefined) notes.push(`default ${JSON.stringify(fallback)}`)
  return notes
}

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
