import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import { messageOf, systemClock } from '@curfew/core/adapter'
import { openVault } from '@curfew/core/secrets'
import type { ServerListing, Upstream, UpstreamsOptions } from '@curfew/mcp'
import type { Command } from '../command.ts'
import { parseCommandLine } from '../parse-options.ts'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { clearLine, count, cut, neutralise, oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { noServers, openServers } from './open-servers.ts'
import { openSignIn } from './open-sign-in.ts'
import { showDownload } from './show-download.ts'
import { signInTokens } from './sign-in-tokens.ts'

interface Tested {
  readonly name: string
  readonly ms: number
  readonly outcome: { readonly listing: ServerListing } | { readonly error: string }
  readonly changed: readonly string[]
  /** Why some of its tools are left out. */
  readonly leftOut: readonly string[]
}

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine(
      'mcp test',
      args,
      { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      1,
    )
    if (values.help) {
      write(help)
      return 0
    }
    const { problems, upstreams } = await openServers('mcp test', positionals[0], openAccess())
    try {
      const pending = upstreams.map((upstream) => test(upstream))
      const tested = values.json ? await Promise.all(pending) : await showAll(upstreams, pending)
      if (values.json) write(`${JSON.stringify({ servers: tested.map(toJson), problems })}\n`)
      else if (upstreams.length === 0) write(`${noServers(problems)}\n`)
      reportProblems(problems)
      const broken = problems.some(({ severity }) => severity === 'error')
      return broken || tested.some(({ outcome }) => 'error' in outcome) ? 1 : 0
    } finally {
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    }
  },
}

/** Secrets and sign-in for the servers, and progress of downloads. */
function openAccess(): Pick<UpstreamsOptions, 'vault' | 'tokens' | 'openSignIn' | 'onDownload'> {
  const secrets = secretOptions()
  return { vault: openVault(secrets), tokens: signInTokens(secrets), openSignIn, onDownload: showDownload }
}

async function test(upstream: Upstream): Promise<Tested> {
  const { name, config, state } = upstream
  const startedAt = systemClock.now()
  const elapsed = (): number => systemClock.now() - startedAt
  try {
    await upstream.connect(new AbortController().signal)
    const ms = elapsed()
    const listing = await upstream.refresh(AbortSignal.timeout(config.startTimeoutMs))
    const changed = state.changed.map((tool) => tool.name)
    return { name, ms, outcome: { listing }, changed, leftOut: upstream.toolProblems }
  } catch (error) {
    const why = messageOf(error).replace(new RegExp(`^(the MCP server ${name} |${name}: )`), '')
    return { name, ms: elapsed(), outcome: { error: why }, changed: [], leftOut: [] }
  }
}

/** In the order of the file, each as soon as it and those before it are done. */
async function showAll(
  upstreams: readonly Upstream[],
  pending: readonly Promise<Tested>[],
): Promise<readonly Tested[]> {
  const width = Math.max(...upstreams.map(({ name }) => name.length))
  const done: Tested[] = []
  for (const [index, promise] of pending.entries()) {
    const waiting = upstreams.slice(index).map(({ name }) => name)
    const live = process.stderr.isTTY && process.stdout.isTTY
    if (live)
      process.stderr.write(
        `${clearLine}${cut(`starting ${waiting.join(', ')} …`, process.stderr.columns || 80)}`,
      )
    const tested = await promise
    if (live) process.stderr.write(clearLine)
    write(show(tested, width))
    done.push(tested)
  }
  return done
}

function show({ name, ms, outcome, changed, leftOut }: Tested, width: number): string {
  const title = `${name.padEnd(width)}  ${formatDuration(ms).padEnd(7)}`
  if ('error' in outcome) {
    const [reason = '', ...said] = neutralise(outcome.error).trim().split('\n')
    const lines = [
      `${styleText('red', '✗')} ${title} ${reason}`,
      ...said.map((line) => `    ${line.trimEnd()}`),
    ]
    return `${lines.join('\n')}\n`
  }
  const { protocolVersion, server, tools, prompts, resources, templates } = outcome.listing
  const who = server === null ? '' : `${oneLine(`${server.name} ${server.version}`)}, `
  const others = [
    { number: prompts.length, word: 'prompt' },
    { number: resources.length + templates.length, word: 'resource' },
  ].filter(({ number }) => number > 0)
  const counts = [count(tools.length, 'tool'), ...others.map(({ number, word }) => count(number, word))]
  const mark = styleText('yellow', '!')
  const problems = leftOut.map((problem) => `  ${mark} ${oneLine(problem)}\n`).join('')
  const line = `${styleText('green', '✓')} ${title} ${who}protocol ${protocolVersion}: ${counts.join(', ')}\n${problems}`
  if (changed.length === 0) return line
  const names = changed.map((tool) => oneLine(tool)).join(', ')
  return `${line}  ${mark} changed since they were first seen, and denied: ${names}\n    look at them: curfew mcp approve ${name}\n`
}

function toJson({ name, ms, outcome, changed, leftOut }: Tested): object {
  const durationMs = Math.round(ms)
  if ('error' in outcome) return { name, ok: false, durationMs, error: outcome.error }
  const { protocolVersion, server, tools, prompts, resources, templates } = outcome.listing
  return {
    name,
    ok: true,
    durationMs,
    protocolVersion,
    server,
    tools: tools.length,
    prompts: prompts.length,
    resources: resources.length,
    resourceTemplates: templates.length,
    changed,
    leftOut,
  }
}

const help = `Usage: curfew mcp test [NAME] [--json]

Start every MCP server, or the one that is named, and say how long it took,
which protocol it speaks and what it offers; or why it does not start, with the
last it wrote to standard error. Where you have to sign in, a browser opens.
Exit: 0 if all are well, 1 if not.

  --json      print one JSON object: { servers, problems }
  -h, --help  show this
`
