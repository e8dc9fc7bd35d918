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
import { hang } from '../terminal.ts'
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
