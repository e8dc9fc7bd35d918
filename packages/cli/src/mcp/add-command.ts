import { join } from 'node:path'
import { howToStore } from '@curfew/core/internal'
import { addServer, mcpFileName, type RawServerEntry } from '@curfew/mcp/config'
import { type Command, UsageError } from '../command.ts'
import { advise } from '../own-name.ts'
import { parseDurationOption } from '../parse-duration-option.ts'
import { parseCommandLine } from '../parse-options.ts'
import { shortPath } from '../short-path.ts'
import { starterRoot } from '../starter-root.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { askToStore } from './ask-to-store.ts'
import { checkEntry } from './check-entry.ts'
import { serversIn } from './import/plan-import.ts'
import { keepOutOfGit } from './keep-out-of-git.ts'
import { adviseOnKeys, findKeys, secretsIn, secretUse } from './plain-keys.ts'
import { refuseLink } from './refuse-link.ts'
import { storeKeys } from './store-keys.ts'

const options = {
  env: { type: 'string', short: 'e', multiple: true },
  header: { type: 'string', short: 'H', multiple: true },
  transport: { type: 'string' },
  timeout: { type: 'string' },
  trust: { type: 'boolean' },
  eager: { type: 'boolean' },
  project: { type: 'boolean' },
  'store-secrets': { type: 'boolean' },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Parsed = ReturnType<typeof parseCommandLine<typeof options>>

export const command: Command = {
  async run(args) {
    const end = args.indexOf('--')
    const argv = end < 0 ? [] : args.slice(end + 1)
    const { values, positionals } = parse(end < 0 ? args : args.slice(0, end), end < 0)
    if (values.help) {
      write(help)
      return 0
    }
    const [name, url] = positionals
    if (name === undefined)
      throw wrong(
        'name the server, as in: curfew mcp add memory -- npx -y @modelcontextprotocol/server-memory',
      )
    const given = buildEntry(name, url, argv, values)
    const root = starterRoot(!values.project)
    const file = join(root.path, mcpFileName)
    const checked = checkEntry(file, name, given)
    if (checked.wrong.length > 0) throw wrong(`${oneLine(name)}: ${checked.wrong.map(oneLine).join('; ')}`)
    await root.prepare()
    if (values.project) refuseLink('mcp add', file)
    const shown = shortPath(file)
    const taken = wrong(`${shown} has a server ${name} already; --force writes over it`)
    if (!values.force && Object.hasOwn(await serversIn(file), name)) throw taken
    const project = values.project ? root.path : null
    const keys = findKeys(name, given)
    const store = await askToStore('mcp add', keys.length, values['store-secrets'])
    const named = store === null ? null : await storeKeys(store, name, given, project)
    const entry = named?.entry ?? given
    const done = await addServer(file, name, entry, { force: values.force ?? false })
    if (done === 'exists') throw taken
    write(`${done === 'added' ? `added ${name} to` : `replaced ${name} in`} ${shown}\n`)
    const test = `curfew mcp test ${name}`
    write(
      root.usable
        ? `try it: ${advise(test)}\n`
        : `this project is not trusted yet; look at it, then: ${advise(`curfew trust && ${test}`)}\n`,
    )
    for (const note of checked.notes) write(`${name}: ${oneLine(note)}\n`)
    for (const line of adviseOnKeys(name, entry, shown, project)) write(`${line}\n`)
    if (named !== null) write(`stored as secrets: ${named.stored.join(', ')}\n`)
    else if (project !== null && keys.length > 0)
      for (const line of await keepOutOfGit(file)) write(`${line}\n`)
    for (const key of secretsIn(given))
      write(`if it is not stored yet: ${advise(howToStore(key, secretUse(name, entry, project)))}\n`)
    return 0
  },
}

function parse(args: readonly string[], bare: boolean): Parsed {
  try {
    return parseCommandLine('mcp add', args, options, 2)
  } catch (error) {
    if (!(error instanceof UsageError) || !bare) throw error
    throw new UsageError(
      `${error.message}. A command goes after --, as in: curfew mcp add NAME -- COMMAND ARGS`,
    )
  }
}

function buildEntry(
  name: string,
  url: string | undefined,
  [program, ...args]: readonly string[],
  { env, header, transport, timeout, trust, eager }: Parsed['values'],
): RawServerEntry {
  const common = {
    ...(timeout !== undefined && { timeout: readTimeout(timeout) }),
    ...(trust && { trust }),
    ...(eager && { eager }),
  }
  if (program !== undefined) {
    if (url !== undefined)
      throw wrong(`${JSON.stringify(url)} stands before --; a server has a URL or a command`)
    if (header !== undefined) throw wrong('--header is for servers that have a URL; a program gets --env')
    if (transport !== undefined && transport !== 'stdio')
      throw wrong('--transport is for servers that have a URL')
    const variables = readPairs(env, '--env', /^([^=]+)=(.*)$/s, 'NAME=VALUE')
    return { command: program, ...(args.length > 0 && { args }), ...(env && { env: variables }), ...common }
  }
  if (url === undefined || !/^https?:/i.test(url)) {
    if (url?.includes('://'))
      throw wrong(`${JSON.stringify(url)} is no URL that begins with https:// or http://`)
    const meant = url === undefined ? 'COMMAND ARGS' : url
    throw wrong(
      `say where the server is: curfew mcp add ${name} -- ${meant}, or: curfew mcp add ${name} https://...`,
    )
  }
  if (env !== undefined) throw wrong('--env is for programs; a server that has a URL gets --header')
  if (transport !== undefined && transport !== 'http' && transport !== 'sse')
    throw wrong(`--transport ${JSON.stringify(transport)} is unknown; write http or sse`)
  const headers = readPairs(header, '--header', /^([^:]+):\s*(.*)$/s, "'NAME: VALUE'")
  return { type: transport ?? 'http', url, ...(header && { headers }), ...common }
}

/** With its unit: in the file a bare number would be milliseconds. */
function readTimeout(text: string): string {
  parseDurationOption(text, '--timeout')
  return /^[\d.]+$/.test(text) ? `${text}s` : text
}

function readPairs(
  given: readonly string[] | undefined,
  option: string,
  shape: RegExp,
  example: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (given ?? []).map((text) => {
      const [, name, value] = shape.exec(text) ?? []
      // What was given is not repeated: it may be a key.
      if (name === undefined || value === undefined) throw wrong(`${option} takes ${example}`)
      return [name.trim(), value]
    }),
  )
}

function wrong(problem: string): UsageError {
  return new UsageError(`curfew mcp add: ${problem}`)
}

const help = `Usage: curfew mcp add NAME [options] -- COMMAND [ARG]...
       curfew mcp add NAME URL [options]

Add an MCP server to your mcp.json: a program that is started when it is
needed, or a server that runs somewhere. Its tools are then called
mcp__NAME__<tool>. No shell looks at the command. What is in the file already
stays as it is.

  -e, --env NAME=VALUE        a variable for the program; may be repeated
  -H, --header 'NAME: VALUE'  a header for the URL; may be repeated
  --transport http|sse        how the URL is spoken to; http by default
  --timeout DURATION          for its calls: seconds, or with a unit as in 2m
  --trust                     believe what it says about its tools: which are
                              read-only or safe to repeat
  --eager                     start it at once instead of on first use
  --store-secrets             store keys among these values as secrets, and
                              write secret:NAME; on a terminal you are asked
  --project                   into this project's .curfew (made and trusted if
                              there is none) instead of your own folder
  --force                     write over a server of that name
  -h, --help                  show this

Keys do not belong into the file: store them (curfew secret set NAME), and write
secret:NAME, as in --env API_KEY=secret:API_KEY or
--header 'Authorization: Bearer secret:API_KEY'. Arguments and the URL accept
them too, but other users of this machine can see the arguments of a process.
'$VAR' is filled in from the environment.
`
