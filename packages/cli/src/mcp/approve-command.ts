import { readLine } from '../ask/read-line.ts'
import { type Command, UsageError } from '../command.ts'
import { parseCommandLine } from '../parse-options.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { openServers } from './open-servers.ts'
import { showChange } from './show-change.ts'

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine(
      'mcp approve',
      args,
      {
        yes: { type: 'boolean', short: 'y' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
      1,
    )
    if (values.help) {
      write(help)
      return 0
    }
    const [server] = positionals
    if (server === undefined)
      throw new UsageError(`curfew mcp approve: name the server; ${await whichWait()}`)
    const { upstreams } = await openServers('mcp approve', server)
    const { state } = upstreams[0]!
    const { changed } = state
    if (values.json) {
      if (values.yes) await state.approve(changed)
      write(`${JSON.stringify({ server, changed, approved: values.yes ?? false })}\n`)
      return 0
    }
    if (changed.length === 0) {
      write(
        `nothing of ${server} waits for approval; curfew mcp test ${server} looks whether it has changed\n`,
      )
      return 0
    }
    for (const change of changed) write(`${showChange(change)}\n`)
    if (!(values.yes || (await ask(server, changed.length)))) {
      write('nothing was approved\n')
      return 1
    }
    // What was looked at is what is approved: if it has changed again meanwhile, it stays denied.
    await state.approve(changed)
    const names = changed.map(({ name }) => oneLine(name)).join(', ')
    write(`approved for ${server}: ${names}\n`)
    return 0
  },
}

async function whichWait(): Promise<string> {
  const { upstreams } = await openServers('mcp approve')
  const names = upstreams.filter(({ state }) => state.changed.length > 0).map(({ name }) => name)
  return names.length === 0 ? 'none of them waits for approval' : `approval is wanted for ${names.join(', ')}`
}

async function ask(server: string, count: number): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      'curfew mcp approve: there is no terminal to ask on; look at the change, then say --yes',
    )
  const what = count === 1 ? 'this definition' : `these ${count} definitions`
  return /^y(es)?$/i.test((await readLine(`Approve ${what} of ${server}? [y/N] `)) ?? '')
}

const help = `Usage: curfew mcp approve NAME [--yes] [--json]

Look at the tools of an MCP server whose definitions are no longer those that
were seen first, and approve them as they are now. Until then they are denied: a
server could change what a model is told about a tool after you came to rely on
it. Characters that cannot be seen are written out, as in \\u200b.

  -y, --yes   approve without a question
  --json      print one JSON object: { server, changed, approved }; it approves
              only with --yes
  -h, --help  show this
`
