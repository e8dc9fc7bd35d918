import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, UsageError } from '../command.ts'
import { advise } from '../own-name.ts'
import { parseCommandLine } from '../parse-options.ts'
import { shortPath } from '../short-path.ts'
import { alignColumns, count, cut, oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { askToStore } from './ask-to-store.ts'
import { type AgentName, agentNames, sourceFor, sourcesOf } from './import/agents.ts'
import { applyChange } from './import/apply-change.ts'
import { describeImport } from './import/describe-import.ts'
import { isOurs } from './import/import-server.ts'
import { isRecord } from './import/is-record.ts'
import { type Change, describeChanges, planChanges } from './import/plan-changes.ts'
import { type PlannedFile, planImport } from './import/plan-import.ts'
import { readDocument } from './import/read-source.ts'
import { type Source, valueAt } from './import/source.ts'
import { writeImport } from './import/write-import.ts'
import { findKeys } from './plain-keys.ts'

const options = {
  file: { type: 'string' },
  force: { type: 'boolean' },
  rename: { type: 'boolean' },
  'store-secrets': { type: 'boolean' },
  apply: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Values = ReturnType<typeof parseCommandLine<typeof options>>['values']

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine('mcp import', args, options, 1)
    if (values.help) {
      write(help)
      return 0
    }
    if (values.force && values.rename)
      throw new UsageError('curfew mcp import: --force and --rename cannot be combined')
    const agent = checkAgent(positionals[0])
    if (agent === undefined && values.file === undefined) return await lookAround()
    const sources =
      values.file === undefined
        ? sourcesOf(agent!, process.cwd(), process.env)
        : [sourceFor(resolve(values.file), agent)]
    if (values.file !== undefined && !existsSync(values.file))
      throw new UsageError(`curfew mcp import: there is no ${oneLine(values.file)}`)
    return await importFrom(sources, values)
  },
}

function checkAgent(text: string | undefined): AgentName | undefined {
  if (text === undefined || (agentNames as readonly string[]).includes(text))
    return text as AgentName | undefined
  throw new UsageError(
    `curfew mcp import: ${JSON.stringify(text)} is unknown; write one of ${agentNames.join(', ')}, or --file FILE`,
  )
}

/** Says what there is, and takes nothing. */
async function lookAround(): Promise<number> {
  const rows: string[][] = []
  const problems: string[] = []
  for (const agent of agentNames) {
    for (const source of sourcesOf(agent, process.cwd(), process.env)) {
      const read = await readDocument(source.file)
      if (read.kind === 'problem') problems.push(`${shortPath(source.file)}: ${oneLine(read.problem)}`)
      if (read.kind !== 'document') continue
      const servers = valueAt(read.document, source.pathIn(read.document))
      const names = Object.entries(isRecord(servers) ? servers : {}).flatMap(([name, server]) =>
        isOurs(server) ? [] : oneLine(name),
      )
      if (names.length > 0) rows.push([agent, shortPath(source.file), cut(names.join(', '), 80)])
    }
  }
  if (rows.length === 0) write('no MCP servers were found in the files of Claude, Cursor, Codex or Gemini\n')
  else {
    for (const line of alignColumns(rows)) write(`${line}\n`)
    const agents = [...new Set(rows.map(([agent]) => agent))]
    write('\ntake them over (with --dry-run it only says what it would do):\n')
    for (const agent of agents) write(`  ${advise(`curfew mcp import ${agent}`)}\n`)
  }
  for (const problem of problems) process.stderr.write(`warning: ${problem}\n`)
  return 0
}

async function importFrom(sources: readonly Source[], values: Values): Promise<number> {
  const { force = false, rename = false, 'dry-run': dryRun = false } = values
  const files = await planImport(sources, { force, rename })
  if (files.length === 0) {
    write(
      `no MCP servers were found in ${[...new Set(sources.map(({ file }) => shortPath(file)))].join(', ')}\n`,
    )
    return 0
  }
  const keys = files.flatMap(({ results }) =>
    results.flatMap((one) => (one.kind === 'imported' ? findKeys(one.name, one.entry) : [])),
  )
  const storeIn = (): ReturnType<typeof askToStore> =>
    askToStore('mcp import', keys.length, values['store-secrets'])
  const written = dryRun ? files : await writeImport(files, await storeIn())
  for (const file of written) write(describeImport(file))
  const added = written.flatMap(({ results }) =>
    results.flatMap((one) => (one.kind === 'imported' ? [one.name] : [])),
  )
  write(`\n${summary(added, dryRun)}\n`)
  if (dryRun && keys.length > 0 && values['store-secrets'])
    write(`${count(keys.length, 'key')} would be stored as secrets\n`)
  const changes = planChanges(written.map(replacedIn))
  const byHand = values.apply && !dryRun ? await applyAll(changes) : changes
  if (byHand.length > 0) write(`\n${titleOf(values)}\n\n${describeChanges(byHand)}`)
  return 0
}

function summary(added: readonly string[], dryRun: boolean): string {
  const servers = count(added.length, 'server')
  if (dryRun) return `nothing was written; without --dry-run ${servers} would be taken over`
  if (added.length === 0) return 'there was nothing to take over'
  const test = advise(`curfew mcp test${added.length === 1 ? ` ${added[0]}` : ''}`)
  return `took over ${servers}; try ${added.length === 1 ? 'it' : 'them'}: ${test}`
}

function replacedIn({
  source,
  results,
  disabledHere,
}: PlannedFile): Parameters<typeof planChanges>[0][number] {
  const names = results.flatMap((one) =>
    one.kind === 'imported' || (one.kind === 'exists' && one.same) ? [one.from] : [],
  )
  return {
    source,
    names: names.filter((name) => !disabledHere.includes(name)),
    hasCurfew: results.some(({ kind }) => kind === 'curfew'),
  }
}

/** Returns the changes left to make by hand: files of the repository are shared with others, so they are not edited. */
async function applyAll(changes: readonly Change[]): Promise<readonly Change[]> {
  const byHand: Change[] = []
  for (const change of changes) {
    const { source } = change
    const file = shortPath(source.file)
    const applied = source.isShared ? { skipped: 'it belongs to the repository' } : await applyChange(change)
    if ('skipped' in applied) {
      write(`\n${file} was not changed: ${applied.skipped}\n`)
      byHand.push(change)
    } else write(`\nchanged ${file}; backup: ${shortPath(applied.backup)}. Restart ${source.agent}.\n`)
  }
  return byHand
}

function titleOf({ apply, 'dry-run': dryRun }: Values): string {
  if (apply && !dryRun) return 'Left to change by hand:'
  const how = 'edit its file (--apply does this and keeps a backup)'
  if (dryRun) return `Afterwards, to make the agent use Curfew, ${how}:`
  return `The agent still starts its own servers. To make it use Curfew, ${how}:`
}

const help = `Usage: curfew mcp import
       curfew mcp import claude|cursor|codex|gemini [options]
       curfew mcp import [AGENT] --file FILE [options]

Import the MCP servers of another agent: Claude Code and Claude Desktop, Cursor,
Codex or Gemini CLI. User-level servers go into your own mcp.json, those of this
project into its .curfew (created and trusted if there is none). Without an
agent, it lists what it finds. Servers that are disabled in the agent stay
disabled; servers from a repository are imported only if you approved them in
the agent. Finally it prints how to change the agent's own file so that the
agent uses Curfew.

  --file FILE      import from this file
  --store-secrets  store keys as secrets, and write secret:NAME in their place;
                   on a terminal you are asked
  --apply          edit the agent's own file, and keep a backup next to it
  --rename         import a server under another name if its name is taken
  --force          replace servers that have the same name
  --dry-run        show what would be imported, and write nothing
  -h, --help       show this
`
