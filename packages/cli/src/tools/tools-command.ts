import { type Tool, toolView } from '@curfew/core'
import type { View } from '@curfew/core/internal'
import { type Command, UsageError } from '../command.ts'
import { setOption } from '../config/set-option.ts'
import { parseCommandLine } from '../parse-options.ts'
import { reportProblems } from '../report-problems.ts'
import { terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { effectiveTimeout } from './effective-timeout.ts'
import { addServerTools, type ConfiguredTools, loadTools, type WithServerTools } from './load-tools.ts'
import { nothingSelected, selectTools } from './select-tools.ts'
import { serverOf } from './server-of.ts'
import { showAsModel, showTool } from './show-tool.ts'
import { toolTable } from './tool-table.ts'

const views: readonly View[] = ['stub', 'brief', 'full']
/** A list waits this long for a server that never ran. */
const patience = { ms: 3_000, remember: true }

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine(
      'tools',
      args,
      {
        json: { type: 'boolean' },
        view: { type: 'string' },
        set: setOption,
        help: { type: 'boolean', short: 'h' },
      },
      1,
    )
    if (values.help) {
      write(help)
      return 0
    }
    const view = checkView(values.view)
    const [filter] = positionals
    const configured = await load(filter, values.set)
    try {
      const selected = filter === undefined ? configured.tools : selectTools(configured.tools, filter)
      if (filter !== undefined && selected.length === 0) throw nothingSelected(configured, filter)
      const columns = terminalWidth(process.stdout)
      if (values.json) write(`${JSON.stringify(toJson(selected, configured, view))}\n`)
      else if (view !== undefined) write(selected.map((tool) => showAsModel(tool, view, columns)).join(''))
      else if (selected[0]?.name === filter) write(showTool(selected[0]!, configured, columns))
      else write(toolTable(selected, configured, columns))
      reportProblems(problemsAbout(selected, filter, configured))
      return 0
    } finally {
      // Ending a server may take a while: what is known has been shown by then.
      await configured.close?.()
    }
  },
}

type Loaded = ConfiguredTools & Partial<Pick<WithServerTools, 'close'>>

/** Servers are looked at only if one of their tools may be meant. */
async function load(filter: string | undefined, set: readonly string[] | undefined): Promise<Loaded> {
  const own = await loadTools('tools', set)
  if (own.tools.some(({ name }) => name === filter)) return own
  const server = filter === undefined ? null : serverOf(filter)
  return await addServerTools('tools', own, server ?? undefined, undefined, patience)
}

/** For a single tool, problems of other tools are not reported; where some tools match, nor are those of other servers. */
function problemsAbout(
  selected: readonly Tool[],
  filter: string | undefined,
  { files, problems }: ConfiguredTools,
): ConfiguredTools['problems'] {
  if (filter === undefined) return problems
  const [only] = selected
  if (only?.name === filter) return problems.filter(({ file }) => file === files.get(only.name))
  const servers = new Set(selected.map(({ server }) => server))
  return problems.filter(({ field }) => {
    const server = /^mcpServers\.([^.]+)/.exec(field ?? '')?.[1]
    return server === undefined || servers.has(server) || mayMean(filter, `mcp__${server}__`)
  })
}

/** Could the filter be about tools whose names begin like this? */
function mayMean(filter: string, beginning: string): boolean {
  const [literal = ''] = filter.split(/[*?]/)
  if (literal === filter) return beginning.toLowerCase().includes(filter.toLowerCase())
  return beginning.startsWith(literal) || literal.startsWith(beginning)
}

function checkView(text: string | undefined): View | undefined {
  if (text === undefined || (views as readonly string[]).includes(text)) return text as View | undefined
  throw new UsageError(
    `curfew tools: --view ${JSON.stringify(text)} is unknown; write one of ${views.join(', ')}`,
  )
}

function toJson(
  tools: readonly Tool[],
  { files, allow, options, problems }: ConfiguredTools,
  view: View | undefined,
): object {
  if (view !== undefined) return { view, tools: tools.map((tool) => toolView(tool, view)), problems }
  return {
    tools: tools.map((tool) => {
      const { name, description, adapter, readOnly, concurrent, alwaysLoad, idempotent, destructive } = tool
      const resolved = effectiveTimeout(tool, options)
      return {
        name,
        description,
        adapter,
        server: tool.server ?? null,
        readOnly,
        concurrent,
        alwaysLoad,
        idempotent,
        destructive,
        openWorld: tool.openWorld,
        alwaysAllow: allow.includes(name),
        // `null` where it depends on the call.
        timeoutMs: resolved?.timeoutMs ?? null,
        timeoutSource: resolved?.source ?? 'tool',
        idleTimeoutMs: tool.idleTimeoutMs,
        parameters: tool.schema.jsonSchema,
        secrets: tool.secrets,
        file: files.get(name) ?? null,
      }
    }),
    problems,
  }
}

const help = `Usage: curfew tools [NAME|FILTER] [--view stub|brief|full] [--set KEY=VALUE]
                    [--json]

List the tools that are there: what Curfew brings along, yours (extensions/ in
your configuration folder), those of this project's .curfew if you trust it, and
those of the MCP servers in mcp.json; with their flags, their effective timeout,
and who set it. A server that never ran is started for that, and has 3 s to
answer; the list does not wait for it again in the next 10 minutes.

  NAME         show this tool in full: its parameters, timeout, flags, secrets,
               and the file it comes from
  FILTER       list only tools whose name contains it, or matches it if it has
               a * or ? ("mcp__github__*")
  --view VIEW  show them as a model sees them: by name alone (stub), with a
               sentence and parameters (brief), or with usage and behaviour too
               (full)
  --json       print one JSON object: { tools, problems }
  --set KEY=VALUE
               change a setting of the configuration for this run; curfew config
               lists them
  -h, --help   show this

Problems in files are reported on standard error; the other tools still load.
On a terminal, lines fit its width; elsewhere they are not folded.
`
