import { systemClock } from '@curfew/core/internal'
import { type ConfigProblem, openVault } from '@curfew/extensions'
import { detailOf, type Upstream, type UpstreamsOptions } from '@curfew/mcp'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { clearLine, cut, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { closeOnSignal } from './close-on-signal.ts'
import { noServers, openServers } from './open-servers.ts'
import { openSignIn } from './open-sign-in.ts'
import { showDownload } from './show-download.ts'
import { showTested, type Tested, testedToJson } from './show-tested.ts'
import { signInTokens } from './sign-in-tokens.ts'

interface TestInput {
  readonly server: string | undefined
  readonly json: boolean
}

/** `curfew mcp test`. Returns the exit code. */
export async function runMcpTest({ server, json }: TestInput): Promise<number> {
  const { problems, upstreams } = await openServers('mcp test', server, {}, openAccess())
  return await closeOnSignal(upstreams, async () => {
    try {
      return await testAll(upstreams, problems, json)
    } finally {
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    }
  })
}

async function testAll(
  upstreams: readonly Upstream[],
  problems: readonly ConfigProblem[],
  json: boolean,
): Promise<number> {
  const pending = upstreams.map((upstream) => test(upstream))
  const tested = json ? await Promise.all(pending) : await showAll(upstreams, pending)
  if (json) write(`${JSON.stringify({ servers: tested.map(testedToJson), problems })}\n`)
  else if (upstreams.length === 0) write(`${noServers(problems)}\n`)
  reportProblems(problems)
  const hasErrors = problems.some(({ severity }) => severity === 'error')
  return hasErrors || tested.some(({ outcome }) => 'error' in outcome) ? 1 : 0
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
    return { name, ms: elapsed(), outcome: { error: detailOf(error) }, changed: [], leftOut: [] }
  }
}

/** Shows each server as soon as it is done. On a terminal, a line below lists those that are still starting. */
async function showAll(
  upstreams: readonly Upstream[],
  pending: readonly Promise<Tested>[],
): Promise<readonly Tested[]> {
  const nameWidth = Math.max(...upstreams.map(({ name }) => name.length))
  const live = process.stderr.isTTY && process.stdout.isTTY
  const columns = terminalWidth(process.stdout)
  const waiting = new Set(upstreams.map(({ name }) => name))
  const showStarting = (): void => {
    if (live && waiting.size > 0)
      process.stderr.write(clearLine + cut(`starting ${[...waiting].join(', ')} …`, columns ?? 80))
  }
  showStarting()
  return await Promise.all(
    pending.map(async (promise) => {
      const tested = await promise
      waiting.delete(tested.name)
      if (live) process.stderr.write(clearLine)
      write(showTested(tested, { nameWidth, columns }))
      showStarting()
      return tested
    }),
  )
}
