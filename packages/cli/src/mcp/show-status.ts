import { styleText } from 'node:util'
import type { ConfigProblem } from '@curfew/extensions'
import type { AskedProcess } from '@curfew/journal'
import { homePath, shortPath } from '../short-path.ts'
import { alignColumns, count, cut, hang, oneLine } from '../terminal.ts'
import { ago } from '../time-ago.ts'
import { describeHeldBack } from './describe-reload.ts'
import type { GatewayStatus, ServerReport } from './gateway-status.ts'
import { noServers } from './open-servers.ts'
import type { ServerLogLine } from './server-logs.ts'

/** A server in the files of this folder. */
export interface KnownServer extends Pick<ServerReport, 'name' | 'file' | 'tools' | 'changed'> {
  readonly isDisabled: boolean
  /** The last thing that a gateway recorded about it. */
  readonly lastEvent: Pick<ServerLogLine, 'at' | 'text'> | null
}

export interface StatusOptions {
  /** `undefined` if the output is not a terminal. */
  readonly columns: number | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  readonly problems: readonly ConfigProblem[]
}

type Gateways = readonly AskedProcess<GatewayStatus>[]

/** In columns. */
const maxMessage = 300

/** What `curfew mcp status` prints. */
export function showStatus(
  gateways: Gateways,
  known: readonly KnownServer[],
  options: StatusOptions,
): string {
  const blocks = gateways.map((gateway) => gatewayLines(gateway, options))
  if (gateways.length === 0) blocks.push(idleLines(known, options))
  else blocks.push(othersLines(gateways, known, options))
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n')
}

function gatewayLines(gateway: Gateways[number], options: StatusOptions): string[] {
  const { pid, project, startedAt, answer } = gateway
  const { now } = options
  const details = [
    `pid ${pid}`,
    `up ${duration(now - startedAt)}`,
    ...(answer?.profile == null ? [] : [`profile ${oneLine(answer.profile)}`]),
  ]
  const address = oneLine(answer === null ? 'gateway' : (answer.url ?? answer.transport))
  const where = `in ${oneLine(homePath(project))} (${details.join(', ')})`
  const title = hang(styleText('bold', `${address} `), where, options.columns, 2)
  if (answer === null) return [...title, '  does not respond']
  const held = answer.heldBack.flatMap((one) =>
    hang('  ', oneLine(describeHeldBack({ ...one, file: homePath(one.file) })), options.columns, 4),
  )
  if (answer.servers.length === 0) return [...title, '  no servers', ...held]
  const rows = answer.servers.map((server) => ({ cells: cellsOf(server, now), notes: notesOf(server, now) }))
  return [...title, ...table(['name', 'state', 'for', 'pid', 'tools', 'calls'], rows, options), ...held]
}

function cellsOf(server: ServerReport, now: number): string[] {
  const { name, state, since, pid, instances, tools, calls } = server
  const processes = instances > 1 ? `${instances} processes` : (pid ?? '-')
  return [oneLine(name), state, duration(now - since), String(processes), String(tools ?? '?'), String(calls)]
}

function notesOf({ name, state, lastError, changed, updated }: ServerReport, now: number): string[] {
  const message = cut(oneLine(lastError?.message ?? '').replace(`the MCP server ${name} `, ''), maxMessage)
  return [
    ...(lastError === null
      ? []
      : [state === 'failed' ? message : `last error, ${ago(now - lastError.at)}: ${message}`]),
    ...changedNote(name, changed),
    ...(updated.length === 0 ? [] : [`changed, and used (pin: notify): ${updated.map(oneLine).join(', ')}`]),
  ]
}

function changedNote(name: string, changed: readonly string[]): string[] {
  if (changed.length === 0) return []
  return [`changed: ${changed.map(oneLine).join(', ')}; review with: curfew mcp approve ${oneLine(name)}`]
}

/** The servers that a gateway would have. */
function idleLines(known: readonly KnownServer[], options: StatusOptions): string[] {
  const hint = 'no gateway is running; an agent that is configured to use Curfew starts one'
  const title = hang('', hint, options.columns)
  if (known.length === 0) return [...title, ...hang('', noServers(options.problems), options.columns)]
  const rows = known.map(({ name, file, isDisabled, tools, changed, lastEvent }) => ({
    cells: [
      name,
      isDisabled ? 'disabled' : 'not running',
      tools === null ? '?' : String(tools),
      shortPath(file),
    ],
    notes: [...eventNote(lastEvent, options.now), ...changedNote(name, changed)],
  }))
  return [...title, '', ...table(['name', 'state', 'tools', 'file'], rows, options)]
}

/** That it was started or stopped says nothing about a server that is not running. */
function eventNote(event: KnownServer['lastEvent'], now: number): string[] {
  if (event === null || /^(starting|started|stopped|connected)/.test(event.text)) return []
  return [`${ago(now - event.at)}: ${cut(event.text, maxMessage)}`]
}

/** The servers here that no gateway has. One that does not respond may have those that are enabled. */
function othersLines(
  gateways: Gateways,
  known: readonly KnownServer[],
  { columns }: StatusOptions,
): string[] {
  const served = new Set(
    gateways.flatMap(({ answer }) =>
      [
        ...(answer?.servers ?? []),
        // Already listed, with the reason.
        ...(answer?.heldBack ?? []).map(({ server, file }) => ({ name: server, file })),
      ].map(({ name, file }) => JSON.stringify([name, file])),
    ),
  )
  const isKnown = gateways.every(({ answer }) => answer !== null)
  const others = known.filter(
    ({ name, file, isDisabled }) => (isDisabled || isKnown) && !served.has(JSON.stringify([name, file])),
  )
  if (others.length === 0) return []
  const names = others.map(({ name, isDisabled }) => (isDisabled ? `${name} (disabled)` : name)).join(', ')
  return hang('', `${count(others.length, 'server')} in no gateway: ${names}`, columns, 2)
}

interface Row {
  readonly cells: readonly string[]
  readonly notes: readonly string[]
}

function table(titles: readonly string[], rows: readonly Row[], { columns }: StatusOptions): string[] {
  const [title, ...lines] = alignColumns([titles, ...rows.map(({ cells }) => cells)])
  return [
    styleText('dim', `  ${title}`),
    ...rows.flatMap(({ notes }, index) => [
      `  ${lines[index]}`,
      ...notes.flatMap((note) => hang('    ', note, columns)),
    ]),
  ]
}

/** `2 min`: only the largest unit. */
function duration(ms: number): string {
  return ago(Math.max(0, ms)).replace(/ ago$/, '')
}
