import { type Clock, messageOf } from '@curfew/core/internal'
import { noSdkTimeout } from '../../async/no-sdk-timeout.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Connection, ListKind } from '../connection/create-client.ts'
import { StartLimit } from '../connection/start-limit.ts'
import type { ServerListing, ServerState } from '../state/server-state.ts'
import { fetchListing } from './fetch-listing.ts'
import { ListRefresher } from './list-refresher.ts'
import { ProblemList } from './problem-list.ts'

export interface ServerListsOptions {
  readonly config: ServerConfig
  readonly state: ServerState
  readonly clock: Clock
  /** `null` while there is none. */
  readonly connection: () => Connection | null
  /** Some have been fetched: the tools, and of the other lists those that are not as they were. */
  readonly onListing: (lists: ReadonlySet<ListKind>) => void
  readonly log: (message: string) => void
}

/** What a server offers: fetched when it says that it has changed, and remembered. */
export class ServerLists {
  readonly #options: ServerListsOptions
  readonly #refresher: ListRefresher
  /** What was last wrong with which lists. */
  readonly #complaints = new Map<string, string>()
  #toolProblems: readonly string[] = []
  /** The changed tools that were last spoken of. */
  #told = ''
  #rest: Promise<void> | null = null
  #endRest = (): void => {}

  constructor(options: ServerListsOptions) {
    this.#options = options
    this.#refresher = new ListRefresher(options.clock, (lists) => this.#refresh(lists))
  }

  /** While the other lists of a server that is seen for the first time are fetched: calls need only the tools. */
  get rest(): Promise<void> | null {
    return this.#rest
  }

  awaitRest(): void {
    this.#rest = new Promise((resolve) => {
      this.#endRest = () => {
        this.#rest = null
        resolve()
      }
    })
  }

  /** What was wrong with its tools when they were last fetched: some are left out. */
  get toolProblems(): readonly string[] {
    return this.#toolProblems
  }

  /** They are fetched soon. */
  onChanged(...lists: readonly ListKind[]): void {
    this.#refresher.add(...lists)
  }

  stop(): void {
    this.#refresher.stop()
  }

  async #refresh(lists: ReadonlySet<ListKind>): Promise<void> {
    const { config, clock, log } = this.#options
    const connection = this.#options.connection()
    if (connection === null) return this.#endRest()
    const setting = 'startTimeout, which is the limit for its lists, too'
    const limit = new StartLimit(clock, config.startTimeoutMs, setting)
    try {
      await this.fetch(connection, lists, limit.signal)
    } catch (error) {
      log(`the lists of the MCP server ${config.name} could not be fetched: ${messageOf(error)}`)
    } finally {
      limit.end()
      this.#endRest()
    }
  }

  async fetch(
    { client }: Connection,
    lists: ReadonlySet<ListKind>,
    signal: AbortSignal,
  ): Promise<ServerListing> {
    const { state, onListing } = this.#options
    const complaints = new ProblemList()
    const ofTools = new ProblemList()
    const report = (problem: string, list: ListKind): void => {
      complaints.add(problem)
      if (list === 'tools') ofTools.add(problem)
    }
    const known = state.listing
    try {
      const listing = await fetchListing({
        client,
        known,
        lists,
        options: { signal, timeout: noSdkTimeout },
        report,
      })
      await this.#remember(listing, (problem) => report(problem, 'tools'))
      onListing(new Set([...lists].filter((list) => list === 'tools' || hasChanged(list, known, listing))))
      return listing
    } finally {
      if (lists.has('tools')) this.#toolProblems = ofTools.lines
      this.#complain(lists, complaints.lines)
    }
  }

  async #remember(listing: ServerListing, complain: (problem: string) => void): Promise<void> {
    const { config, state, log } = this.#options
    await state.remember(listing).catch((error: unknown) => complain(messageOf(error)))
    const unused = listing.tools.length - (state.listing?.tools.length ?? 0)
    const advice = `if they are wanted, remove ${state.file}`
    if (unused > 0) complain(`it has shown too many tools; ${unused} new ones are not used; ${advice}`)
    const changed = state.changed.map(({ name }) => name).join(', ')
    if (changed !== '' && changed !== this.#told)
      log(`the MCP server ${config.name} changed ${changed}; curfew mcp approve ${config.name} shows how`)
    this.#told = changed
  }

  /** Lists are fetched again and again; what is wrong with them is said when it is something else than before. */
  #complain(lists: ReadonlySet<ListKind>, problems: readonly string[]): void {
    const { config, log } = this.#options
    const kinds = [...lists].sort().join()
    const before = this.#complaints.get(kinds) ?? ''
    this.#complaints.set(kinds, problems.join('\n'))
    if (problems.join('\n') === before) return
    for (const problem of problems) log(`the MCP server ${config.name}: ${problem}`)
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
