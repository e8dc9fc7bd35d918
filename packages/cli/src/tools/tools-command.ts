import { styleText } from 'node:util'
import {
  describeSource,
  formatDuration,
  type ResolvedTimeout,
  resolveTimeout,
  type Tool,
  toolView,
  type View,
} from '@curfew/core'
import type { ConfigOptions } from '@curfew/core/extensions'
import { type Command, UsageError } from '../command.ts'
import { setOption } from '../config/set-option.ts'
import { parseOptions } from '../parse-options.ts'
import { reportProblems } from '../report-problems.ts'
import { alignColumns, oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { addServerTools, type ConfiguredTools, loadTools } from './load-tools.ts'

const views: readonly View[] = ['stub', 'brief', 'full']

export const command: Command = {
  async run(args) {
    const options = parseOptions('tools', args, {
      json: { type: 'boolean' },
      view: { type: 'string' },
      set: setOption,
      help: { type: 'boolean', short: 'h' },
    })
    if (options.help) {
      write(help)
      return 0
    }
    const view = checkView(options.view)
    const configured = await addServerTools('tools', await loadTools('tools', options.set), undefined)
    await configured.close()
    if (options.json) write(`${JSON.stringify(toJson(configured, view))}\n`)
    else write(view === undefined ? table(configured) : configured.tools.map(show(view)).join(''))
    reportProblems(configured.problems)
    return 0
  },
}

function checkView(text: string | undefined): View | undefined {
  if (text === undefined || (views as readonly string[]).includes(text)) return text as View | undefined
  throw new UsageError(
    `curfew tools: --view ${JSON.stringify(text)} is unknown; write one of ${views.join(', ')}`,
  )
}

function toJson({ tools, files, allow, options, problems }: ConfiguredTools, view: View | undefined): object {
  if (view !== undefined) return { view, tools: tools.map((tool) => toolView(tool, view)), problems }
  return {
    tools: tools.map((tool) => {
      const { name, description, adapter, readOnly, concurrent, alwaysLoad, idempotent, destructive } = tool
      const flags = { readOnly, concurrent, alwaysLoad, idempotent, destructive, openWorld: tool.openWorld }
      const alwaysAllow = allow.includes(name)
      const file = files.get(name) ?? null
      return { name, description, adapter, ...flags, alwaysAllow, ...timeoutFields(tool, options), file }
    }),
    problems,
  }
}

/** `timeoutMs` is `null` where it depends on the call. */
function timeoutFields(tool: Tool, options: ConfigOptions): object {
  if (tool.timeoutFor !== undefined) return { timeoutMs: null, timeoutSource: 'tool' }
  const { timeoutMs, source } = effectiveTimeout(tool, options)
  return { timeoutMs, timeoutSource: source }
}

function effectiveTimeout(tool: Tool, options: ConfigOptions): ResolvedTimeout {
  const { toolCallTimeout, maxToolCallTimeout, timeouts } = options
  const written = { toolCallTimeout, maxToolCallTimeout, timeouts }
  return resolveTimeout({ adapter: tool.adapter, tool: tool.timeoutMs, ...written })
}

function table({ tools, allow, options }: ConfiguredTools): string {
  const rows = tools.map((tool) => [
    tool.name,
    tool.adapter,
    flagsOf(tool, allow.includes(tool.name)),
    ...timeoutCells(tool, options),
  ])
  const [titles, ...lines] = alignColumns([['name', 'adapter', 'flags', 'timeout', 'set by'], ...rows])
  return `${styleText('dim', titles!)}\n${lines.map((line) => `${line}\n`).join('')}`
}

function flagsOf(tool: Tool, alwaysAllow: boolean): string {
  const flags = [
    tool.readOnly && 'read-only',
    tool.concurrent && 'concurrent',
    tool.alwaysLoad && 'always-load',
    alwaysAllow && 'always-allow',
  ]
  return flags.filter(Boolean).join(' ') || '-'
}

function timeoutCells(tool: Tool, options: ConfigOptions): [string, string] {
  if (tool.timeoutFor !== undefined) return ['by call', 'its parameter "seconds"']
  const { timeoutMs, source } = effectiveTimeout(tool, options)
  return [formatDuration(timeoutMs), describeSource(source)]
}

/** As a model sees it. */
function show(view: View): (tool: Tool) => string {
  return (tool) => {
    const { name, description, parameters } = toolView(tool, view)
    if (description === undefined) return `${name}\n`
    const lines = [styleText('bold', name), `  ${oneLine(description)}`]
    const required = Array.isArray(parameters?.required) ? parameters.required : []
    for (const [parameter, schema] of Object.entries(Object(parameters?.properties))) {
      const notes = [...notesOn(schema), required.includes(parameter) ? 'required' : ''].filter(Boolean)
      const about = oneLine(String(Object(schema).description ?? ''))
      lines.push(`    ${oneLine(parameter)} (${oneLine(notes.join(', '))}) ${about}`.trimEnd())
    }
    return `${lines.join('\n')}\n\n`
  }
}

function notesOn(schema: unknown): string[] {
  const { type, enum: choices, default: fallback } = Object(schema)
  const notes = [Array.isArray(type) ? type.join(' or ') : String(type ?? '')]
  if (Array.isArray(choices))
    notes.push(`one of ${choices.map((choice) => JSON.stringify(choice)).join(' ')}`)
  if (fallback !== undefined) notes.push(`default ${JSON.stringify(fallback)}`)
  return notes
}

const help = `Usage: curfew tools [--view stub|brief|full] [--set KEY=VALUE] [--json]

List the tools that are there: what Curfew brings along, yours (extensions/ in
your configuration folder), those of this project's .curfew if you trust it, and
those of the MCP servers in mcp.json (one that never ran is started for that);
with their flags, their effective timeout, and who set it.

  --view VIEW  show them as a model sees them: by name alone (stub), with a
               sentence and parameters (brief), or with usage and behaviour too
               (full)
  --json       print one JSON object: { tools, problems }
  --set KEY=VALUE
               change a setting of the configuration for this run; curfew config
               lists them
  -h, --help   show this

What is wrong in a file is said on standard error; the other tools still load.
`
