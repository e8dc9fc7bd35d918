import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readJsonFile } from '@curfew/core/adapter'
import { type Command, UsageError } from '../command.ts'
import { parseCommandLine } from '../parse-options.ts'
import { shortPath } from '../short-path.ts'
import { type StarterRoot, starterRoot } from '../starter-root.ts'
import { alignColumns, cut, oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { type AgentName, agentNames, type Source, sourceFor, sourcesOf } from './import/agents.ts'
import { changesToMake, type Replaced } from './import/change-to-make.ts'
import { isRecord } from './import/is-record.ts'
import { readSource } from './import/read-source.ts'
import { fileIn, isOurs, type Taken, takeOver } from './import/take-over.ts'
import { adviseOnKeys } from './plain-keys.ts'
import { refuseLink } from './refuse-link.ts'
import { showTarget } from './show-target.ts'

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine(
      'mcp import',
      args,
      {
        file: { type: 'string' },
        force: { type: 'boolean' },
        'dry-run': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
      1,
    )
    if (values.help) {
      write(help)
      return 0
    }
    const agent = checkAgent(positionals[0])
    if (agent === undefined && values.file === undefined) return await lookAround()
    const sources =
      values.file === undefined
        ? sourcesOf(agent!, process.cwd(), process.env)
        : [sourceFor(resolve(values.file), agent)]
    if (values.file !== undefined && !existsSync(values.file))
      throw new UsageError(`curfew mcp import: there is no ${oneLine(values.file)}`)
    return await importFrom(sources, values.force ?? false, values['dry-run'] ?? false)
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
      const read = await readSource(source)
      if (read.kind === 'problem') problems.push(`${shortPath(source.file)}: ${oneLine(read.problem)}`)
      if (read.kind !== 'servers') continue
      const names = Object.entries(read.servers).flatMap(([name, server]) =>
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
    for (const agent of agents) write(`  curfew mcp import ${agent}\n`)
  }
  for (const problem of problems) process.stderr.write(`warning: ${problem}\n`)
  return 0
}

async function importFrom(sources: readonly Source[], force: boolean, dryRun: boolean): Promise<number> {
  const replaced: Replaced[] = []
  const added: string[] = []
  for (const source of sources) {
    const read = await readSource(source)
    const here =
      source.scope === 'project' && source.file.endsWith('.claude.json') ? ', for this project' : ''
    const title = [source.agent, shortPath(source.file)].filter(Boolean).join(', ') + here
    if (read.kind === 'problem') process.stderr.write(`warning: ${title}: ${oneLine(read.problem)}\n`)
    if (read.kind !== 'servers' || Object.keys(read.servers).length === 0) continue
    const root = starterRoot(source.scope === 'user')
    const taken = await takeAll(read.servers, source, root, { force, dryRun })
    const project = source.scope === 'user' ? null : root.path
    write(`${title}\n${describe(taken, shortPath(fileIn(root.path)), project)}`)
    if (!root.usable) write('  this project is not trusted yet; look at it, then: curfew trust\n')
    replaced.push({
      source,
      names: taken.flatMap((one) =>
        one.kind === 'taken' || (one.kind === 'there' && one.same) ? [one.from] : [],
      ),
      hasCurfew: taken.some(({ kind }) => kind === 'curfew'),
    })
    added.push(...taken.flatMap((one) => (one.kind === 'taken' ? [one.name] : [])))
  }
  if (replaced.length === 0) {
    write(
      `no MCP servers were found in ${[...new Set(sources.map(({ file }) => shortPath(file)))].join(', ')}\n`,
    )
    return 0
  }
  write(`\n${summary(added, dryRun)}\n`)
  const changes = changesToMake(replaced)
  const first = dryRun ? 'Afterwards, to have' : 'The agent still starts its own servers. To have'
  const whom = dryRun ? 'the agent' : 'it'
  if (changes !== '') write(`\n${first} ${whom} ask Curfew, change its file:\n\n${changes}`)
  return 0
}

function summary(added: readonly string[], dryRun: boolean): string {
  const servers = `${added.length} ${added.length === 1 ? 'server' : 'servers'}`
  if (dryRun) return `nothing was written; without --dry-run ${servers} would be taken over`
  if (added.length === 0) return 'there was nothing to take over'
  return `took over ${servers}; try ${added.length === 1 ? `it: curfew mcp test ${added[0]}` : 'them: curfew mcp test'}`
}

async function takeAll(
  servers: Readonly<Record<string, unknown>>,
  source: Source,
  root: StarterRoot,
  { force, dryRun }: { readonly force: boolean; readonly dryRun: boolean },
): Promise<readonly Taken[]> {
  const file = fileIn(root.path)
  if (!dryRun) await root.prepare()
  if (source.scope === 'project') refuseLink('mcp import', file)
  const taken: Taken[] = []
  for (const [name, server] of Object.entries(servers)) {
    const known = await serversIn(file)
    taken.push(await takeOver(name, server, source, { file, known, force, dryRun }))
  }
  return taken
}

async function serversIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  const read = await readJsonFile(file)
  return read.kind === 'value' && isRecord(read.value) && isRecord(read.value.mcpServers)
    ? read.value.mcpServers
    : {}
}

function describe(taken: readonly Taken[], file: string, project: string | null): string {
  const lines = alignColumns(taken.map((one) => describeOne(one, file))).map((line) => `  ${line}`)
  const notes = taken.flatMap((one) => {
    if (one.kind !== 'taken') return []
    const keys = adviseOnKeys(one.name, one.entry, file, project)
    return [...one.notes.map((note) => `${one.name}: ${oneLine(note)}`), ...keys].map((line) => `  ${line}`)
  })
  return `${[...lines, ...notes].join('\n')}\n`
}

function describeOne(one: Taken, file: string): [string, string, string] {
  const from = oneLine(one.from)
  switch (one.kind) {
    case 'taken':
      return ['+', one.name === one.from ? from : `${from} as ${one.name}`, cut(showTarget(one.entry), 100)]
    case 'there':
      return [
        '=',
        from,
        one.same ? `is in ${file} already` : `${file} has another ${one.name}; --force writes over it`,
      ]
    case 'curfew':
      return ['-', from, 'is Curfew itself']
    case 'unusable':
      return ['!', from, oneLine(one.why)]
  }
}

const help = `Usage: curfew mcp import
       curfew mcp import claude|cursor|codex|gemini [--dry-run] [--force]
       curfew mcp import [AGENT] --file FILE [--dry-run] [--force]

Take over the MCP servers of another agent: Claude Code and Claude Desktop,
Cursor, Codex or Gemini CLI. Those that the agent has for all projects go into
your own mcp.json, those of this project into its .curfew (made and trusted if
there is none). Without an agent it says what it finds. The agent's own file is
never changed; you are told what to change there, so that it asks Curfew.

  --file FILE  take them from this file
  --dry-run    say what would be taken over, and write nothing
  --force      write over servers that have the same name
  -h, --help   show this
`
