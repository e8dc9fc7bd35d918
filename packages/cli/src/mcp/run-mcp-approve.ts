import { configRoots } from '@curfew/extensions'
import type { Upstream } from '@curfew/mcp'
import { readLine } from '../ask/read-line.ts'
import { UsageError } from '../command.ts'
import { shortPath } from '../short-path.ts'
import { foldTo, oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { askGateways } from './ask-gateways.ts'
import { readGatewayStatus } from './gateway-status.ts'
import { openServers } from './open-servers.ts'
import {
  approveDefinitions,
  type UnapprovedDefinition,
  unapprovedDefinitions,
} from './project-definitions.ts'
import { showEntry, withoutKeys } from './show-target.ts'
import { showWaiting } from './show-waiting.ts'

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
    for (const review of reviews) if (yes) await approve(review)
    const results = reviews.map((review) => toJson(review, yes))
    write(`${JSON.stringify(all ? { servers: results } : results[0])}\n`)
    return 0
  }
  const pending = reviews.filter((review) => countOf(review) > 0)
  if (pending.length === 0) {
    const nothing = all ? 'no server needs approval' : `${server} needs no approval`
    write(`${nothing}; to check for changed tools: curfew mcp test${all ? '' : ` ${server}`}\n`)
    return 0
  }
  if (!(yes || (process.stdin.isTTY && process.stderr.isTTY))) {
    // All of them, because --yes approves all.
    for (const review of pending) await show(review)
    throw new UsageError(
      'curfew mcp approve: requires a terminal to ask for confirmation; review the change, then use --yes',
    )
  }
  let declined = 0
  for (const review of pending) if (!(await run(review, yes))) declined++
  return declined === 0 ? 0 : 1
}

/** The parts of one server that wait for approval: its definition in a project's file, and its new and changed tools. */
interface Review extends Pick<Upstream['state'], 'changed' | 'added' | 'removed'> {
  readonly name: string
  readonly state: Upstream['state']
  readonly definitions: readonly UnapprovedDefinition[]
}

/** For one server, or for all that need approval. */
async function openReviews(server: string | undefined): Promise<readonly Review[]> {
  const roots = configRoots()
  // Before they are shown, so that exactly this is approved.
  const unapproved = await unapprovedDefinitions(roots)
  const { upstreams } = await openServers('mcp approve', server, { roots })
  const reviews = upstreams.map(({ name, state }): Review => {
    const { changed, added, removed } = state
    const definitions = unapproved.filter((definition) => definition.name === name)
    return { name, state, definitions, changed, added, removed }
  })
  return server === undefined ? reviews.filter((review) => countOf(review) > 0) : reviews
}

async function pendingServers(): Promise<string> {
  const names = (await openReviews(undefined)).map(({ name }) => name)
  return names.length === 0 ? 'no server needs approval' : `these need approval: ${names.join(', ')}`
}

function countOf({ definitions, changed, added }: Review): number {
  return definitions.length + changed.length + added.length
}

async function show(review: Review): Promise<void> {
  for (const definition of review.definitions) write(showDefinition(definition))
  if (review.changed.length + review.added.length > 0)
    write(await showWaiting(review.name, review, terminalWidth(process.stdout)))
}

/** Shows everything and asks. Returns whether it was approved. */
async function run(review: Review, yes: boolean): Promise<boolean> {
  const { name, definitions, changed, added } = review
  await show(review)
  if (!(yes || (await ask(name, countOf(review))))) {
    write(`${name}: nothing was approved\n`)
    return false
  }
  await approve(review)
  const tools = [...changed, ...added].map((tool) => oneLine(tool.name))
  write(`approved ${name}: ${[...definitions.map(() => 'its definition'), ...tools].join(', ')}\n`)
  return true
}

function toJson({ name, definitions, changed, added, removed }: Review, approved: boolean): object {
  const definition = definitions.map(({ entry }) => withoutKeys(entry))[0] ?? null
  return { server: name, definition, changed, added, removed, approved }
}

async function approve({ state, definitions, changed, added }: Review): Promise<void> {
  await approveDefinitions(configRoots(), definitions)
  if (changed.length + added.length === 0) return
  // Approves only the definitions that were shown: a tool that has changed again since stays denied.
  await state.approve([...changed.map(({ current }) => current), ...added])
  // Running gateways notice it when they are asked for their status.
  await askGateways({ method: 'servers', read: readGatewayStatus })
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

async function ask(server: string, count: number): Promise<boolean> {
  const definitions = count === 1 ? 'this definition' : `these ${count} definitions`
  return /^y(es)?$/i.test((await readLine(`Approve ${definitions} of ${server}? [y/N] `)) ?? '')
}
