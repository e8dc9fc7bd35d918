import { isJsonObject } from '@curfew/core/internal'
import { advise } from '../runner-command.ts'
import { shortPath } from '../short-path.ts'
import { alignColumns, count, cut, foldTo, hang, oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { askToStore } from './ask-to-store.ts'
import { type AgentName, agentNames } from './import/agent-names.ts'
import { givenSources, sourcesOf } from './import/agents.ts'
import { applyChange } from './import/apply-change.ts'
import { describeImport } from './import/describe-import.ts'
import { isOurs } from './import/import-server.ts'
import { type Change, describeChanges, planChanges } from './import/plan-changes.ts'
import { type PlannedFile, planImport } from './import/plan-import.ts'
import { readDocument } from './import/read-source.ts'
import { type Source, valueAt } from './import/source.ts'
import { writeImport } from './import/write-import.ts'
import { findKeys } from './plain-keys.ts'

interface ImportInput {
  readonly agent: AgentName | undefined
  readonly file: string | undefined
  readonly 'store-secrets': boolean
  readonly apply: boolean
  readonly rename: boolean
  readonly force: boolean
  readonly 'dry-run': boolean
}

/** `curfew mcp import`. Returns the exit code. */
export async function runMcpImport(input: ImportInput): Promise<number> {
  const sources = givenSources('import', input)
  return sources === null ? await listSources() : await importFrom(sources, input)
}

/** Lists the servers of all agents without importing them. */
async function listSources(): Promise<number> {
  const rows: { readonly agent: string; readonly file: string; readonly names: string }[] = []
  const problems: string[] = []
  for (const agent of agentNames) {
    for (const source of sourcesOf(agent, process.cwd(), process.env)) {
      const read = await readDocument(source.file)
      if (read.kind === 'problem') problems.push(`${shortPath(source.file)}: ${oneLine(read.problem)}`)
      if (read.kind !== 'document') continue
      const servers = valueAt(read.document, source.pathIn(read.document))
      const names = Object.entries(isJsonObject(servers) ? servers : {}).flatMap(([name, server]) =>
        isOurs(name, server) ? [] : oneLine(name),
      )
      if (names.length > 0)
        rows.push({ agent, file: shortPath(source.file), names: cut(names.join(', '), 80) })
    }
  }
  if (rows.length === 0) write('no MCP servers were found in the files of the agents that Curfew knows\n')
  else {
    const leads = alignColumns(rows.map(({ agent, file }) => [agent, file]))
    const width = Math.max(...leads.map((lead) => lead.length)) + 2
    const columns = terminalWidth(process.stdout)
    for (const [index, { names }] of rows.entries())
      for (const line of hang(leads[index]!.padEnd(width), names, columns, 4)) write(`${line}\n`)
    const agents = [...new Set(rows.map(({ agent }) => agent))]
    write('\nto import them (--dry-run shows what would be imported):\n')
    for (const agent of agents) write(`  ${advise(`curfew mcp import ${agent}`)}\n`)
  }
  for (const problem of problems) process.stderr.write(`warning: ${problem}\n`)
  return 0
}

async function importFrom(sources: readonly Source[], input: ImportInput): Promise<number> {
  const { force, rename, 'dry-run': dryRun, 'store-secrets': storeSecrets } = input
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
  const storeIn = (): ReturnType<typeof askToStore> => askToStore('mcp import', keys.length, storeSecrets)
  const written = dryRun ? files : await writeImport(files, await storeIn())
  const columns = terminalWidth(process.stdout)
  for (const file of written) write(describeImport(file, columns))
  const added = written.flatMap(({ results }) =>
    results.flatMap((one) => (one.kind === 'imported' ? [one.name] : [])),
  )
  write(`\n${summary(added, dryRun)}\n`)
  if (dryRun && keys.length > 0 && storeSecrets)
    write(`${count(keys.length, 'key')} would be stored as secrets\n`)
  const changes = planChanges(written.map(replacedIn))
  const byHand = input.apply && !dryRun ? await applyAll(changes) : changes
  if (byHand.length > 0) write(`\n${foldTo(columns, changesTitle(input))}\n\n${describeChanges(byHand)}`)
  return 0
}

function summary(added: readonly string[], dryRun: boolean): string {
  const servers = count(added.length, 'server')
  if (dryRun) return `nothing was written; without --dry-run, ${servers} would be imported`
  if (added.length === 0) return 'there was nothing to import'
  const test = advise(`curfew mcp test${added.length === 1 ? ` ${added[0]}` : ''}`)
  return `imported ${servers}; test ${added.length === 1 ? 'it' : 'them'}: ${test}`
}

function replacedIn({
  source,
  document,
  results,
  disabledHere,
}: PlannedFile): Parameters<typeof planChanges>[0][number] {
  const names = results.flatMap((one) =>
    one.kind === 'imported' || (one.kind === 'exists' && one.same) ? [one.from] : [],
  )
  return {
    source,
    document,
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
    } else write(`\nchanged ${file}; restart ${source.agent}\nbackup: ${shortPath(applied.backup)}\n`)
  }
  return byHand
}

function changesTitle({ apply, 'dry-run': dryRun }: ImportInput): string {
  if (apply && !dryRun) return 'To change by hand:'
  const how = 'edit its file (--apply does this and keeps a backup)'
  if (dryRun) return `Afterwards, to make the agent use Curfew, ${how}:`
  return `The agent still starts its own servers. To make it use Curfew, ${how}:`
}
