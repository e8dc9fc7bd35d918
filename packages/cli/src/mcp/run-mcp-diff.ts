import { UsageError } from '../command.ts'
import { shortPath } from '../short-path.ts'
import { oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import type { AgentName } from './import/agent-names.ts'
import { givenSources } from './import/agents.ts'
import { describeDiff } from './import/describe-diff.ts'
import { type Diff, diffServers, type ServerDiff } from './import/diff-servers.ts'
import { showTarget } from './show-target.ts'

interface DiffInput {
  readonly agent: AgentName | undefined
  readonly file: string | undefined
  readonly json: boolean
}

/** `curfew mcp diff`. Returns the exit code: 1 if something differs, 2 if a file could not be read. */
export async function runMcpDiff(input: DiffInput): Promise<number> {
  const sources = givenSources('diff', input)
  if (sources === null)
    throw new UsageError('curfew mcp diff: requires AGENT or --file. See curfew mcp diff --help')
  const diff = await diffServers(sources)
  if (input.json) write(`${JSON.stringify(toJson(diff))}\n`)
  else if (!diff.isUnreadable) write(describeDiff(diff, targetOf(input), terminalWidth(process.stdout)))
  for (const { file, message } of diff.problems)
    process.stderr.write(`warning: ${shortPath(file)}: ${oneLine(message)}\n`)
  if (diff.problems.length > 0) return 2
  return isEqual(diff) ? 0 : 1
}

function targetOf({ agent, file }: DiffInput): string {
  return [agent, ...(file === undefined ? [] : [`--file ${shortPath(file)}`])].filter(Boolean).join(' ')
}

/** An agent that uses Curfew has all servers of Curfew. */
function isEqual({ servers, withoutCurfew }: Diff): boolean {
  return servers.every(({ state, startedTwice }) => {
    if (state === 'only-curfew') return withoutCurfew.length === 0
    return state === 'unapproved' || (state === 'same' && !startedTwice)
  })
}

function toJson(diff: Diff): object {
  const { servers, withoutCurfew, problems, isUnreadable } = diff
  return {
    equal: isEqual(diff) && problems.length === 0,
    usesCurfew: isUnreadable ? null : withoutCurfew.length === 0,
    servers: servers.map(serverToJson),
    problems,
  }
}

function serverToJson(server: ServerDiff): object {
  const { state, name, source, agentEntry, curfew, fields, startedTwice, reason } = server
  return {
    name,
    state,
    fields,
    startedTwice,
    reason,
    agent:
      source === null
        ? null
        : { name: source.agent, file: source.file, scope: source.scope, target: targetIn(agentEntry) },
    curfew: curfew === null ? null : { name: curfew.name, file: curfew.file, target: targetIn(curfew.entry) },
  }
}

/** The command or URL, without keys. */
function targetIn(entry: ServerDiff['agentEntry']): string | null {
  return entry === null ? null : showTarget(entry)
}
