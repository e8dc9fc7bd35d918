import { readLine } from '../ask/read-line.ts'
import { UsageError } from '../command.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { openServers } from './open-servers.ts'
import { showChange } from './show-change.ts'

interface ApproveInput {
  readonly server: string | undefined
  readonly yes: boolean
  readonly json: boolean
}

/** `curfew mcp approve`. Returns the exit code. */
export async function runMcpApprove({ server, yes, json }: ApproveInput): Promise<number> {
  if (server === undefined)
    throw new UsageError(`curfew mcp approve: missing argument NAME; ${await pendingServers()}`)
  const { upstreams } = await openServers('mcp approve', server)
  const { state } = upstreams[0]!
  const { changed } = state
  if (json) {
    if (yes) await state.approve(changed)
    write(`${JSON.stringify({ server, changed, approved: yes })}\n`)
    return 0
  }
  if (changed.length === 0) {
    write(`no tools of ${server} need approval; check for changes with: curfew mcp test ${server}\n`)
    return 0
  }
  for (const change of changed) write(`${showChange(change)}\n`)
  if (!(yes || (await ask(server, changed.length)))) {
    write('nothing was approved\n')
    return 1
  }
  // Approves only the definitions that were shown: a tool that has changed again since stays denied.
  await state.approve(changed)
  const names = changed.map(({ name }) => oneLine(name)).join(', ')
  write(`approved for ${server}: ${names}\n`)
  return 0
}

async function pendingServers(): Promise<string> {
  const { upstreams } = await openServers('mcp approve')
  const names = upstreams.filter(({ state }) => state.changed.length > 0).map(({ name }) => name)
  return names.length === 0 ? 'no server needs approval' : `these need approval: ${names.join(', ')}`
}

async function ask(server: string, count: number): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      'curfew mcp approve: requires a terminal to ask for confirmation; review the change, then use --yes',
    )
  const definitions = count === 1 ? 'this definition' : `these ${count} definitions`
  return /^y(es)?$/i.test((await readLine(`Approve ${definitions} of ${server}? [y/N] `)) ?? '')
}
