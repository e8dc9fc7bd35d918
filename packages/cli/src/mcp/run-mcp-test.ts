import { systemClock } from '@curfew/core/internal'
import { type ConfigProblem, openVault } from '@curfew/extensions'
import { detailOf, type Upstream, type UpstreamsOptions } from '@curfew/mcp'
import { describeUnused } from '@curfew/mcp/config'
import type { PendingOperation } from '../live/pending-row.ts'
import { type LiveRows, showLiveRows } from '../live/show-live-rows.ts'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { foldTo, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { closeOnSignal } from './close-on-signal.ts'
import { noServers, openServers } from './open-servers.ts'
import { showDownload } from './show-download.ts'
import { showTested, type Tested, testedToJson } from './show-tested.ts'
import { fetchAllow, signInPrompt } from './sign-in-prompt.ts'
import { signInTokens } from './sign-in-tokens.ts'

interface TestInput {
  readonly server: string | undefined
  readonly json: boolean
}

/** `curfew mcp test`. Returns the exit code. */
export async function runMcpTest({ server, json }: TestInput): Promise<number> {
  let rows: LiveRows | null = null
  const print = (write: () => void): void => (rows === null ? write() : rows.print(write))
  const access = openAccess((message) => print(() => showDownload(message)))
  const { problems, upstreams, unused } = await openServers('mcp test', server, {}, access)
  const incomplete = server === undefined ? unused.filter(({ needs }) => needs.length > 0) : []
  const unusable = incomplete.map((one) => failed(one.name, describeUnused(one)))
  const tests = (): ServerTest[] => upstreams.map((upstream) => new ServerTest(upstream))
  const run = async (): Promise<number> => {
    const started = tests()
    if (!json && process.stderr.isTTY && process.stdout.isTTY) rows = showStarting(started)
    try {
      return await testAll(started, unusable, problems, json, print)
    } finally {
      rows?.stop()
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    }
  }
  return await closeOnSignal(upstreams, run, () => rows?.stop())
}

async function testAll(
  tests: readonly ServerTest[],
  unusable: readonly Tested[],
  problems: readonly ConfigProblem[],
  json: boolean,
  print: (write: () => void) => void,
): Promise<number> {
  const nameWidth = Math.max(...[...tests, ...unusable].map(({ name }) => name.length))
  const columns = terminalWidth(process.stdout)
  const tested = await Promise.all(
    [...tests.map(({ outcome }) => outcome), ...unusable].map(async (test) => {
      const outcome = await test
      if (!json) print(() => void write(showTested(outcome, { nameWidth, columns })))
      return outcome
    }),
  )
  if (json) write(`${JSON.stringify({ servers: tested.map(testedToJson), problems })}\n`)
  else if (tested.length === 0) write(`${foldTo(columns, noServers(problems))}\n`)
  print(() => reportProblems(problems))
  const hasErrors = problems.some(({ severity }) => severity === 'error')
  return hasErrors || tested.some(({ outcome }) => 'error' in outcome) ? 1 : 0
}

/** Secrets and sign-in for the servers, and progress of downloads. */
function openAccess(
  onDownload: (message: string) => void,
): Pick<UpstreamsOptions, 'vault' | 'tokens' | 'signInPrompt' | 'fetchAllow' | 'onDownload'> {
  const secrets = secretOptions()
  const tokens = signInTokens(secrets)
  return { vault: openVault(secrets), tokens, signInPrompt, fetchAllow, onDownload }
}

/** One server: what happens to it at the moment, and how that ends. */
class ServerTest {
  readonly name: string
  readonly outcome: Promise<Tested>
  readonly #timeoutMs: number
  #pending: PendingOperation | null

  constructor(upstream: Upstream) {
    this.name = upstream.name
    this.#timeoutMs = upstream.config.startTimeoutMs
    this.#pending = this.#phase('starting')
    this.outcome = this.#run(upstream).finally(() => {
      this.#pending = null
    })
  }

  /** `null` once it is done. */
  get pending(): PendingOperation | null {
    return this.#pending
  }

  async #run(upstream: Upstream): Promise<Tested> {
    const { name, state } = upstream
    const startedAt = systemClock.now()
    const elapsed = (): number => systemClock.now() - startedAt
    try {
      await upstream.connect(new AbortController().signal)
      const ms = elapsed()
      this.#pending = this.#phase('listing its tools')
      const listing = await upstream.refresh(AbortSignal.timeout(this.#timeoutMs))
      const [changed, added, updated] = [state.changed, state.added, state.updated].map((tools) =>
        tools.map((tool) => tool.name),
      ) as [string[], string[], string[]]
      return { name, ms, outcome: { listing }, changed, added, updated, leftOut: upstream.toolProblems }
    } catch (error) {
      return { ...failed(name, detailOf(error)), ms: elapsed() }
    }
  }

  #phase(phase: string): PendingOperation {
    return { name: this.name, phase, startedAt: systemClock.wallTime(), timeoutMs: this.#timeoutMs }
  }
}

function failed(name: string, error: string): Tested {
  return { name, ms: 0, outcome: { error }, changed: [], added: [], updated: [], leftOut: [] }
}

/** The servers that are not done yet, below those that are. */
function showStarting(tests: readonly ServerTest[]): LiveRows {
  return showLiveRows({
    stream: process.stderr,
    load: async () => {
      const [{ pendingRow }, { rowLines }, { liveTheme }] = await Promise.all([
        import('../live/pending-row.ts'),
        import('../live/live-call-lines.ts'),
        import('../live/live-theme.ts'),
      ])
      const theme = liveTheme(process.stderr)
      return {
        draw: (frame) =>
          tests
            .flatMap(({ pending }) => (pending === null ? [] : [pending]))
            .slice(0, frame.height)
            .flatMap((pending) => rowLines(pendingRow(pending, frame.now), { ...frame, height: 1 }, theme)),
      }
    },
  })
}
