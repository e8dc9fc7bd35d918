import { randomBytes } from 'node:crypto'
import { messageOf, type View } from '@curfew/core/internal'
import { openVault } from '@curfew/extensions'
import { isLoopback } from '@curfew/extensions/internal'
import { createGateway, type Gateway, serveGatewayOverHttp, serveGatewayOverStdio } from '@curfew/mcp'
import { loadServers } from '@curfew/mcp/config'
import { type Command, UsageError } from '../command.ts'
import { setOption } from '../config/set-option.ts'
import { parseOptions } from '../parse-options.ts'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { oneLine } from '../terminal.ts'
import { loadTools } from '../tools/load-tools.ts'
import { write } from '../write.ts'
import { stateFolder } from './open-servers.ts'
import { signInTokens } from './sign-in-tokens.ts'

const views: readonly View[] = ['stub', 'brief', 'full']
const usualPort = 8787
const loopback = '127.0.0.1'
const farewellMs = 500

/** `curfew mcp`: the gateway. Standard output belongs to the protocol; what people read is on standard error. */
export const command: Command = {
  async run(args) {
    const options = parseOptions('mcp', args, {
      http: { type: 'boolean' },
      port: { type: 'string' },
      host: { type: 'string' },
      'no-token': { type: 'boolean' },
      view: { type: 'string' },
      allow: { type: 'string', multiple: true },
      deny: { type: 'string', multiple: true },
      unprefixed: { type: 'boolean' },
      builtins: { type: 'boolean' },
      'name-limit': { type: 'string' },
      set: setOption,
      help: { type: 'boolean', short: 'h' },
    })
    if (options.help) {
      write(help)
      return 0
    }
    const http = httpOptions(options)
    // Standard output belongs to the protocol, whatever a library has to say.
    // biome-ignore lint/suspicious/noConsole: it is taken away from others
    for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error
    const gateway = await openGateway(options.set ?? [], options.builtins === true, {
      view: checkView(options.view),
      allow: options.allow ?? [],
      deny: options.deny ?? [],
      unprefixed: options.unprefixed ?? false,
      nameLimit: wholeNumber(options['name-limit'], 64, '--name-limit', 16, 128),
    })
    const ended = new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
    })
    let code = 0
    try {
      if (http === null) {
        if (process.stdin.isTTY) explainSilence()
        await Promise.race([ended, serveGatewayOverStdio(gateway, report)])
      } else code = await serveHttp(gateway, http, ended)
    } finally {
      await gateway.close()
    }
    // The client has closed our input, or a signal came: nothing is left to be done.
    process.stdin.destroy()
    // But for what the client has not read yet. If it never does, we end all the same.
    setTimeout(() => process.exit(code), farewellMs).unref()
    return code
  },
}

/** Nobody types JSON-RPC: it was started by mistake, or to see what it does. */
function explainSilence(): void {
  say('an agent starts this and speaks to it here; docs/mcp.md shows how')
  say('to try your servers: curfew mcp test; over HTTP: curfew mcp --http')
  say('waiting for a client; Ctrl-C ends it')
}

interface Serving {
  /** By default what the configuration says. */
  readonly view: View | undefined
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly unprefixed: boolean
  readonly nameLimit: number
}

async function openGateway(set: readonly string[], builtins: boolean, serving: Serving): Promise<Gateway> {
  const { tools, options, roots, problems } = await loadTools(
    'mcp',
    set,
    (config) => builtins || config.builtins,
  )
  const { servers, problems: serverProblems } = await loadServers(roots)
  reportProblems([...problems, ...serverProblems])
  const secrets = secretOptions()
  return await createGateway({
    ...serving,
    view: serving.view ?? options.view ?? 'brief',
    tools,
    servers,
    stateFolder: stateFolder(roots),
    log: say,
    tokens: signInTokens(secrets),
    runtime: {
      ...options,
      // Without a rule a call runs: the gate is the client's own prompt. And a loop is the client's affair, too.
      approval: { default: 'allow', ...options.approval },
      loops: options.loops === false ? false : { ...options.loops, stopAfter: Number.POSITIVE_INFINITY },
      vault: openVault(secrets),
      log: ({ level, message, error, heartbeat }) => {
        if (level !== 'info' || heartbeat !== undefined)
          say(error === undefined ? message : `${message}: ${String(error)}`)
      },
    },
  })
}

interface HttpOptions {
  readonly host: string
  readonly port: number
  readonly token: string | null
}

function httpOptions(options: {
  readonly http?: boolean | undefined
  readonly port?: string | undefined
  readonly host?: string | undefined
  readonly 'no-token'?: boolean | undefined
}): HttpOptions | null {
  const { http = false, port, host = loopback, 'no-token': noToken = false } = options
  if (!http) {
    const alone = (['port', 'host', 'no-token'] as const).find((name) => options[name] !== undefined)
    if (alone !== undefined) throw new UsageError(`curfew mcp: --${alone} is for --http; say both`)
    return null
  }
  if (noToken && !isLoopback(host))
    throw new UsageError(
      `curfew mcp: --no-token is for this machine alone; with --host ${JSON.stringify(host)} others could come in`,
    )
  const token = noToken ? null : process.env.CURFEW_MCP_TOKEN || randomBytes(24).toString('base64url')
  return { host, port: wholeNumber(port, usualPort, '--port', 0, 65_535), token }
}

async function serveHttp(
  gateway: Gateway,
  { host, port, token }: HttpOptions,
  ended: Promise<void>,
): Promise<number> {
  let service: Awaited<ReturnType<typeof serveGatewayOverHttp>>
  try {
    service = await serveGatewayOverHttp(gateway, { host, port, token, onerror: report })
  } catch (error) {
    say(messageOf(error))
    return 1
  }
  say(`listening on ${service.url}`)
  if (!isLoopback(host)) say('other machines reach it too: who has the token can call your tools')
  if (token === null) say('without a token: every program of this machine can use it')
  else if (process.env.CURFEW_MCP_TOKEN) say('clients send the token that is in CURFEW_MCP_TOKEN')
  else {
    say('clients send this header (CURFEW_MCP_TOKEN sets a token of your own):')
    process.stderr.write(`  Authorization: Bearer ${token}\n`)
  }
  await ended
  await service.close()
  return 0
}

function checkView(text: string | undefined): View | undefined {
  if (text === undefined) return undefined
  if ((views as readonly string[]).includes(text)) return text as View
  throw new UsageError(
    `curfew mcp: --view ${JSON.stringify(text)} is unknown; write one of ${views.join(', ')}`,
  )
}

function wholeNumber(
  text: string | undefined,
  fallback: number,
  name: string,
  least: number,
  most: number,
): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(
    `curfew mcp: ${name} ${JSON.stringify(text)} must be a whole number from ${least} to ${most}`,
  )
}

function report(error: Error): void {
  if (process.env.CURFEW_DEBUG === '1') say(error.message)
}

function say(line: string): void {
  process.stderr.write(`curfew mcp: ${oneLine(line)}\n`)
}

const help = `Usage: curfew mcp [--view stub|brief|full] [--allow GLOB] [--deny GLOB]
                  [--builtins] [--unprefixed] [--name-limit N]
                  [--set KEY=VALUE]
       curfew mcp --http [--port N] [--host HOST] [--no-token] ...
       curfew mcp add | import | list | test | approve

Serve your tools, and those of the MCP servers in mcp.json, to an agent: on
standard input and output, or over HTTP. Every call ends on time.

  --view VIEW     how much of each tool is listed: its name alone (stub, with
                  search_tools to find more), a sentence and parameters (brief,
                  the default), or everything (full)
  --allow GLOB    serve only the tools whose name fits, as in 'mcp__github__*';
                  may be said again
  --deny GLOB     leave these out; may be said again
  --builtins      serve timeout, nice and sleep too; the first two run any
                  command: an agent that may call them may do what you may
  --unprefixed    keep the servers' own names where they are the only ones, not
                  mcp__<server>__<tool>
  --name-limit N  shorten names that are longer (64); an agent that puts
                  mcp__curfew__ before them needs 51
  --set KEY=VALUE change a setting for this run; curfew config lists them
  --http          serve any number of clients at http://HOST:PORT/mcp
  --port N        ${usualPort}; 0 takes a free one
  --host HOST     ${loopback}; 0.0.0.0 lets other machines in
  --no-token      let in every program of this machine; otherwise clients must
                  send the bearer token in CURFEW_MCP_TOKEN, or the printed one
  -h, --help      show this

For the servers (each of these has a --help of its own):
  add             write one into mcp.json
  import          take over those of Claude, Cursor, Codex or Gemini
  list            show them, and how many tools each has
  test            start them, sign in, and see what they offer
  approve         look at tools that a server has changed, and allow them again

docs/mcp.md shows how to put it in front of Claude Code, Gemini CLI, Codex and
Cursor.
`
