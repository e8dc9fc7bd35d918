import { configRoots } from '@curfew/extensions'
import type { ChangedTool, Upstream } from '@curfew/mcp'
import { readLine } from '../ask/read-line.ts'
import { UsageError } from '../command.ts'
import { shortPath } from '../short-path.ts'
import { foldTo, oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { openServers } from './open-servers.ts'
import {
  approveDefinitions,
  type UnapprovedDefinition,
  unapprovedDefinitions,
} from './project-definitions.ts'
import { showChange } from './show-change.ts'
import { showEntry, withoutKeys } from './show-target.ts'

interface ApproveInput {
  readonly server: string | undefined
  readonly all: boolean
  readonly yes: boolean
  readonly json: boolean
}

/** `curfew mcp approve`. Returns the exit code. */
export async function runMcpApprove({ server, all, yes, json }: ApproveInput): Promise<number> {
  if (all && server !== undefined)
    throw new UsageError('curfew mcp approve: expected NAME or --all, got both')
  if (server === undefined && !all)
    throw new UsageError(`curfew mcp approve: missing argument NAME or --all; ${await pendingServers()}`)
  const reviews = await openReviews(server)
  if (json) {
    const results: object[] = []
    for (const review of reviews) results.push(await review.toJson(yes))
    write(`${JSON.stringify(all ? { servers: results } : results[0])}\n`)
    return 0
  }
  const pending = reviews.filter(({ isPending }) => isPending)
  if (pending.length === 0) {
    const nothing = all ? 'no server needs approval' : `${server} needs no approval`
    write(`${nothing}; to check for changed tools: curfew mcp test${all ? '' : ` ${server}`}\n`)
    return 0
  }
  if (!(yes || canAsk())) {
    // All of them, because --yes approves all.
    for (const review of pending) await review.show()
    throw new UsageError(
      'curfew mcp approve: requires a terminal to ask for confirmation; review the change, then use --yes',
    )
  }
  let declined = 0
  for (const review of pending) if (!(await review.run(yes))) declined++
  return declined === 0 ? 0 : 1
}

/** For one server, or for all that need approval. */
async function openReviews(server: string | undefined): Promise<readonly Review[]> {
  const roots = configRoots()
  // Before they are shown, so that exactly this is approved.
  const definitions = await unapprovedDefinitions(roots)
  const { upstreams } = await openServers('mcp approve', server, { roots })
  const reviews = upstreams.map(
    (upstream) =>
      new Review(
        upstream,
        definitions.filter(({ name }) => name === upstream.name),
        (approved) => approveDefinitions(roots, approved),
      ),
  )
  return server === undefined ? reviews.filter(({ isPending }) => isPending) : reviews
}

async function pendingServers(): Promise<string> {
  const names = (await openReviews(undefined)).map(({ name }) => name)
  return names.length === 0 ? 'no server needs approval' : `these need approval: ${names.join(', ')}`
}

/** What a person has to approve of one server: its definition in a project's file, and its changed tools. */
class Review {
  readonly name: string
  readonly #state: Upstream['state']
  readonly #changed: readonly ChangedTool[]
  readonly #definitions: readonly UnapprovedDefinition[]
  readonly #approveDefinitions: (definitions: readonly UnapprovedDefinition[]) => Promise<void>

  constructor(
    { name, state }: Upstream,
    definitions: readonly UnapprovedDefinition[],
    approve: (definitions: readonly UnapprovedDefinition[]) => Promise<void>,
  ) {
    this.name = name
    this.#state = state
    this.#changed = state.changed
    this.#definitions = definitions
    this.#approveDefinitions = approve
  }

  get isPending(): boolean {
    return this.#definitions.length + this.#changed.length > 0
  }

  async show(): Promise<void> {
    for (const definition of this.#definitions) write(showDefinition(definition))
    for (const change of this.#changed) write(`${await showChange(this.name, change)}\n`)
  }

  /** Shows everything and asks. Returns whether it was approved. */
  async run(yes: boolean): Promise<boolean> {
    await this.show()
    if (!(yes || (await ask(this.name, this.#definitions.length + this.#changed.length)))) {
      write(`${this.name}: nothing was approved\n`)
      return false
    }
    await this.#approve()
    const tools = this.#changed.map((change) => oneLine(change.name))
    const approved = [...this.#definitions.map(() => 'its definition'), ...tools].join(', ')
    write(`approved ${this.name}: ${approved}\n`)
    return true
  }

  async toJson(yes: boolean): Promise<object> {
    if (yes) await this.#approve()
    const definition = this.#definitions.map(({ entry }) => withoutKeys(entry))[0] ?? null
    return { server: this.name, definition, changed: this.#changed, approved: yes }
  }

  async #approve(): Promise<void> {
    await this.#approveDefinitions(this.#definitions)
    // Approves only the definitions that were shown: a tool that has changed again since stays denied.
    if (this.#changed.length > 0) await this.#state.approve(this.#changed)
  }
}

const describeKind: Readonly<Record<UnapprovedDefinition['kind'], string>> = {
  new: 'which you have not approved yet',
  changed: 'which differs from what you last approved',
  unused: 'which differs from what a running gateway was started with',
}

function showDefinition({ name, file, entry, kind }: UnapprovedDefinition): string {
  const what = describeKind[kind]
  const title = foldTo(terminalWidth(process.stdout), `${name} in ${oneLine(shortPath(file))}, ${what}:`)
  return `${title}\n${showEntry(entry)}\n\n`
}

function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

async function ask(server: string, count: number): Promise<boolean> {
  const definitions = count === 1 ? 'this definition' : `these ${count} definitions`
  return /^y(es)?$/i.test((await readLine(`Approve ${definitions} of ${server}? [y/N] `)) ?? '')
}
