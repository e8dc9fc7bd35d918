import { type Clock, messageOf } from '@curfew/core/internal'
import { noSdkTimeout } from '../../async/no-sdk-timeout.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Connection, ListKind } from '../connection/create-client.ts'
import { StartLimit } from '../connection/start-limit.ts'
import type { FetchedListing, ServerListing, ServerState } from '../state/server-state.ts'
import { describeWaiting } from '../state/waiting-definitions.ts'
import { fetchListing } from './fetch-listing.ts'
import { ListRefresher } from './list-refresher.ts'
import { ProblemList } from './problem-list.ts'

/** `topic` is `tools` for a problem that is also in `toolProblems`. */
export type UpstreamLog = (message: string, topic?: 'tools') => void

export interface ServerListsOptions {
  readonly config: ServerConfig
  readonly state: ServerState
  readonly clock: Clock
  /** The name of the start timeout in error messages. */
  readonly timeoutName: string
  /** `null` while disconnected. */
  readonly connection: () => Connection | null
  /** Runs a fetch after a change; the server is not stopped meanwhile. */
  readonly whileFetching: (fetch: () => Promise<ServerListing>) => Promise<ServerListing>
  /** Called with the lists that were fetched: the tools always, the others if they have changed. */
  readonly onListing: (lists: ReadonlySet<ListKind>) => void
  readonly log: UpstreamLog
}

interface Problem {
  readonly text: string
  readonly list: ListKind
}

/** The tools, prompts and resources of a server: fetched when it reports a change, and kept in its state. */
export class ServerLists {
  readonly #options: ServerListsOptions
  readonly #refresher: ListRefresher
  /** The problems that were last logged, by the lists that they are about. */
  readonly #logged = new Map<string, string>()
  #toolProblems: readonly string[] = []
  /** The definitions that wait for approval, as they were last logged. */
  #loggedChanges = ''
  #otherLists: Promise<void> | null = null
  #onOtherLists = (): void => {}

  constructor(options: ServerListsOptions) {
    this.#options = options
    this.#refresher = new ListRefresher(options.clock, (lists) => this.#refresh(lists))
  }

  /** Pending while the prompts and resources of a new server are fetched, which calls do not wait for. */
  get otherLists(): Promise<void> | null {
    return this.#otherLists
  }

  awaitOtherLists(): void {
    this.#otherLists = new Promise((resolve) => {
      this.#onOtherLists = () => {
        this.#otherLists = null
        resolve()
      }
    })
  }

  /** Why tools were left out of the last fetched list. */
  get toolProblems(): readonly string[] {
    return this.#toolProblems
  }

  /** Schedules a fetch of these lists. */
  onChanged(...lists: readonly ListKind[]): void {
    this.#refresher.add(...lists)
  }

  stop(): void {
    this.#refresher.stop()
  }

  async #refresh(lists: ReadonlySet<ListKind>): Promise<void> {
    const { config, clock, timeoutName, log } = this.#options
    const connection = this.#options.connection()
    if (connection === null) return this.#onOtherLists()
    const setting = `${timeoutName}, which also limits fetching its lists`
    const limit = new StartLimit(clock, config.startTimeoutMs, setting)
    try {
      await this.#options.whileFetching(() => this.fetch(connection, lists, limit.signal))
    } catch (error) {
      log(`the lists of the MCP server ${config.name} could not be fetched: ${messageOf(error)}`)
    } finally {
      limit.end()
      this.#onOtherLists()
    }
  }

  async fetch(
    { client }: Connection,
    lists: ReadonlySet<ListKind>,
    signal: AbortSignal,
  ): Promise<ServerListing> {
    const { state, onListing } = this.#options
    const problems = { tools: new ProblemList(), prompts: new ProblemList(), resources: new ProblemList() }
    const report = (problem: string, list: ListKind): void => void problems[list].add(problem)
    const known = state.listing
    try {
      const options = { signal, timeout: noSdkTimeout }
      const fetched = await fetchListing({ client, lists, options, report })
      await this.#remember(fetched, (problem) => report(problem, 'tools'))
      const listing = state.listing!
      onListing(new Set([...lists].filter((list) => list === 'tools' || hasChanged(list, known, listing))))
      return listing
    } finally {
      if (lists.has('tools')) this.#toolProblems = problems.tools.lines
      const all = (['tools', 'prompts', 'resources'] as const).flatMap((list) =>
        problems[list].lines.map((text) => ({ text, list })),
      )
      this.#logProblems(lists, all)
    }
  }

  async #remember(fetched: FetchedListing, report: (problem: string) => void): Promise<void> {
    const { config, state, log } = this.#options
    const known = state.updated
    await state.remember(fetched).catch((error: unknown) => report(messageOf(error)))
    const unused = (fetched.tools?.length ?? 0) - state.listing!.tools.length
    const fix = `to use them, remove ${state.file}`
    if (unused > 0) report(`it has listed too many different tools; ${unused} new ones are left out; ${fix}`)
    const { changed, added } = state
    const key = JSON.stringify([changed, added].map((list) => list.map(({ name }) => name)))
    const waiting = describeWaiting(config.name, state)
    if (waiting !== null && key !== this.#loggedChanges) log(`the MCP server ${config.name}: ${waiting}`)
    this.#loggedChanges = key
    const updated = state.updated.filter((one) => !known.includes(one)).map(({ name }) => name)
    if (updated.length > 0)
      log(
        `the MCP server ${config.name} added or changed ${updated.join(', ')}; the new definitions are used`,
      )
  }

  /** Lists are fetched repeatedly; their problems are logged only if they differ from the last ones. */
  #logProblems(lists: ReadonlySet<ListKind>, problems: readonly Problem[]): void {
    const { config, log } = this.#options
    const kinds = [...lists].sort().join()
    const key = problems.map(({ text }) => text).join('\n')
    if (key === (this.#logged.get(kinds) ?? '')) return
    this.#logged.set(kinds, key)
    for (const { text, list } of problems)
      log(`the MCP server ${config.name}: ${text}`, ...(list === 'tools' ? [list] : []))
  }
}

/** Lists are fetched after every start; only a difference counts as a change. */
function hasChanged(
  list: 'prompts' | 'resources',
  known: ServerListing | null,
  { prompts, resources, templates }: ServerListing,
): boolean {
  const [before, now] =
    list === 'prompts'
      ? [known?.prompts ?? [], prompts]
      : [
          [known?.resources ?? [], known?.templates ?? []],
          [resources, templates],
        ]
  return JSON.stringify(before) !== JSON.stringify(now)
}
