import { styleText } from 'node:util'
import type { ConfigProblem } from '@curfew/extensions'
import type { AskedProcess } from '@curfew/journal'
import { describeWaiting } from '@curfew/mcp'
import { describeUnused } from '@curfew/mcp/config'
import { homePath, shortPath } from '../short-path.ts'
import { alignColumns, count, cut, hang, oneLine } from '../terminal.ts'
import { ago } from '../time-ago.ts'
import { describeHeldBack } from './describe-reload.ts'
import type { GatewayStatus, ServerReport } from './gateway-status.ts'
import { noServers } from './open-servers.ts'
import type { ServerLogLine } from './server-logs.ts'

/** A server in the files of this folder. */
export interface KnownServer extends Pick<ServerReport, 'name' | 'file' | 'tools' | 'changed' | 'added'> {
  readonly isDisabled: boolean
  /** The environment variables that are not set, without which it cannot be used. */
  readonly needs: readonly string[]
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

function notesOf({ name, state, lastError, updated, ...waiting }: ServerReport, now: number): string[] {
  const message = cut(oneLine(lastError?.message ?? '').replace(`the MCP server ${name} `, ''), maxMessage)
  const lastNote =
    state === 'failed' ? message : `last error, ${ago(now - (lastError?.at ?? now))}: ${message}`
  return [
    lastError === null ? [] : lastNote,
    describeWaiting(oneLine(name), waiting) ?? [],
    updated.length === 0 ? [] : `new or changed, and used: ${updated.map(oneLine).join(', ')}`,
  ].flat()
}

/** The servers that a gateway would have. */
function idleLines(known: readonly KnownServer[], options: StatusOptions): string[] {
  const hint = 'no gateway is running; an agent that is configured to use Curfew starts one'
  const title = hang('', hint, options.columns)
  if (known.length === 0) return [...title, ...hang('', noServers(options.problems), options.columns)]
  const rows = known.map(({ name, file, isDisabled, needs, tools, lastEvent, ...waiting }) => ({
    cells: [
      name,
      isDisabled ? 'disabled' : needs.length > 0 ? 'incomplete' : 'not running',
      tools === null ? '?' : String(tools),
      shortPath(file),
    ],
    notes: [
      ...(needs.length > 0 ? [describeUnused({ needs })] : eventNote(lastEvent, options.now)),
      describeWaiting(oneLine(name), waiting) ?? [],
    ].flat(),
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
    ({ name, file, isDisabled, needs }) =>
      (isDisabled || needs.length > 0 || isKnown) && !served.has(JSON.stringify([name, file])),
  )
  if (others.length === 0) return []
  const describe = ({ name, isDisabled, needs }: KnownServer): string =>
    isDisabled || needs.length > 0 ? `${name} (${describeUnused({ needs })})` : name
  const names = others.map(describe).join(', ')
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
