import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import { describeSource, parseJson } from '@curfew/core/internal'
import type { FoundCall, JournalCall } from '@curfew/journal'
import { describeAllowance } from '../call/describe-allowance.ts'
import { groupDigits } from '../group-digits.ts'
import { homePath } from '../short-path.ts'
import { count, hang, oneLine, wrap } from '../terminal.ts'
import { ago } from '../time-ago.ts'
import { visibleOutput } from '../tui/calls/printable-text.ts'
import { foldLine } from '../tui/questions/fold-line.ts'
import { callOutcome } from './call-outcome.ts'
import { exactClock, exactTime } from './call-time.ts'

interface ShowCallOptions {
  /** `undefined`: lines are not wrapped. */
  readonly columns: number | undefined
  readonly now: number
  /** Whether a file still exists. */
  readonly exists: (path: string) => boolean
}

type Fact = readonly [title: string, text: string | null]

const indent = '  '
const titleWidth = 10

/** Everything that is recorded about a call. */
export function showCall(found: FoundCall, options: ShowCallOptions): string {
  const { call } = found
  const { text, style } = callOutcome(call)
  const head = `${styleText('bold', call.id)}  ${oneLine(call.tool)}  ${styleText(style, text)}`
  const facts = factsOf(found, options).flatMap(([title, fact]) =>
    fact === null
      ? []
      : hang(`${indent}${styleText('dim', title.padEnd(titleWidth))} `, fact, options.columns),
  )
  const sections = [
    section('Times', timesOf(call), options),
    section('Arguments', prettyArguments(call.args), options),
    section(call.status === 'cancelled' ? 'Reason' : 'Error', errorOf(call, options), options),
    section(outputTitle(call), lines(call.outputTail), options, fileNote(call.outputPath, options)),
    section(resultTitle(call), lines(call.resultPreview), options, fileNote(call.resultPath, options)),
  ]
  return `${[head, ...facts, ...sections.flat()].join('\n')}\n`
}

function factsOf({ call, children, hasMoreChildren }: FoundCall, { now }: ShowCallOptions): Fact[] {
  const { createdAt, parent, session, detachedTo, abandoned, lateEnd } = call
  return [
    ['when', `${exactTime(createdAt)}, ${createdAt > now ? 'in the future' : ago(now - createdAt)}`],
    ['kind', describeKind(call)],
    ['project', homePath(call.project)],
    ['process', describeProcess(call)],
    ['request', describeRequest(call)],
    ['session', session],
    ['inside', parent],
    ['calls', children.length === 0 ? null : `${children.join(', ')}${hasMoreChildren ? ', …' : ''}`],
    [
      'allowed by',
      call.allowedBy === null ? null : describeAllowance({ kind: call.allowedBy, rule: call.rule }),
    ],
    ['limit', describeLimit(call)],
    ['lost', call.status === 'lost' ? describeLoss(call) : null],
    ['task', detachedTo === null ? null : `continues in the background as ${detachedTo}`],
    ['problem', call.problem],
    ['abandoned', abandoned ? describeAbandonment(lateEnd, createdAt) : null],
  ]
}

function describeProcess({ run }: JournalCall): string {
  const state = run.lost ? 'ended without closing the journal' : run.endedAt === null ? 'running' : 'ended'
  const dropped = run.dropped > 0 ? `; ${count(run.dropped, 'call')} could not be recorded` : ''
  return `${run.program} ${run.version}, pid ${run.pid}, started ${exactTime(run.startedAt).slice(0, 19)}, ${state}${dropped}`
}

/** What people call the adapters; others are shown as they are. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['builtin', 'built-in tool'],
  ['function', 'function of the program'],
  ['script', 'script tool'],
  ['api', 'API tool'],
  ['mcp-stdio', 'tool of the MCP server'],
  ['mcp-http', 'tool of the remote MCP server'],
  ['external-agent', 'external agent'],
])

function describeKind({ adapter, server, background }: JournalCall): string | null {
  if (adapter === null) return null
  const kind = `${kinds.get(adapter) ?? adapter}${server === null ? '' : ` ${server}`}`
  return background ? `${kind}, as a background task` : kind
}

/** Where it was made: `call_17, batch 3 of turn t1, conversation default`. */
function describeRequest({ callId, batch, turn, conversation, loaded }: JournalCall): string {
  const place = turn === null ? `batch ${batch}` : `batch ${batch} of turn ${turn}`
  const note = loaded ? '; it loaded the definition of the tool, which did not run' : ''
  return `${callId}, ${place}, conversation ${conversation}${note}`
}

/** `1 min, its adapter's hard cap; 5 min were requested, the tool's own timeout` */
function describeLimit(call: JournalCall): string | null {
  const { timeoutMs, timeoutSource, requestedMs, requestedSource, shortenedBy } = call
  if (timeoutMs === null) return null
  const effective = `${formatDuration(timeoutMs)}${sourceOf(timeoutSource)}`
  if (shortenedBy === null || requestedMs === null) return effective
  return `${effective}; ${formatDuration(requestedMs)} were requested${sourceOf(requestedSource)}`
}

function sourceOf(source: string | null): string {
  if (source === null) return ''
  // A journal may contain other sources.
  const known: unknown = describeSource(source as Parameters<typeof describeSource>[0])
  return `, ${typeof known === 'string' ? known : source}`
}

function describeLoss({ lostIn, updatedAt, durationMs }: JournalCall): string {
  const doing = lostIn === null ? '' : ` while it was ${stateName(lostIn)}`
  const known = durationMs === null ? '' : `, after ${formatDuration(Math.max(0, durationMs))}`
  return `its process ended${doing}${known}; last recorded at ${exactTime(updatedAt)}`
}

function describeAbandonment(lateEnd: JournalCall['lateEnd'], createdAt: number): string {
  if (lateEnd === null) return 'it ignored its signal and went on running'
  const after = formatDuration(Math.max(0, lateEnd.at - createdAt))
  const ending = lateEnd.outcome === 'returned' ? 'returned a value' : 'threw an error'
  return `it ignored its signal, and ${ending} ${after} after it was requested`
}

/** Each state with its time and how long it lasted. */
function timesOf({ transitions, createdAt, heals, pauses, pausedMs }: JournalCall): string[] {
  const width = Math.max(0, ...transitions.map(([status]) => stateName(status).length))
  const states = transitions.map(([status, afterMs], index) => {
    const next = transitions[index + 1]?.[1]
    const lasted = next === undefined ? '' : `  ${formatDuration(Math.max(0, next - afterMs))}`
    return `${exactClock(createdAt + afterMs)}  ${stateName(status).padEnd(width)}${lasted}`.trimEnd()
  })
  return [
    ...states,
    ...(pauses > 0
      ? [`paused ${times(pauses)}, ${formatDuration(Math.max(0, pausedMs))} in total, waiting for a person`]
      : []),
    ...(heals > 0 ? [`retried ${times(heals)} with another key`] : []),
  ]
}

function stateName(status: string): string {
  return oneLine(status.replaceAll('_', ' ')).slice(0, 40)
}

function times(number: number): string {
  return number === 1 ? 'once' : number === 2 ? 'twice' : `${number} times`
}

function prettyArguments(args: string): string[] {
  try {
    const value = parseJson(args)
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
    return isEmpty ? [] : lines(JSON.stringify(value, null, 2))
  } catch {
    // It was too long to be recorded completely.
    return lines(args)
  }
}

function errorOf({ code, message }: JournalCall, { columns }: ShowCallOptions): string[] {
  const text = [code, message].filter((part) => part !== null).join(': ')
  return lines(text).flatMap((line) => (columns === undefined ? [line] : wrap(line, columns - indent.length)))
}

function outputTitle({ outputTail, outputBytes }: JournalCall): string {
  const isWhole = Buffer.byteLength(outputTail) >= outputBytes
  return `Output (${groupDigits(outputBytes)} bytes${isWhole ? '' : '; the end of it'})`
}

function resultTitle({ resultPreview, resultBytes }: JournalCall): string {
  if (resultBytes === null) return 'Result'
  const isWhole = Buffer.byteLength(resultPreview) >= resultBytes
  return `Result (${groupDigits(resultBytes)} bytes${isWhole ? '' : '; the beginning of it'})`
}

function fileNote(path: string | null, { exists }: ShowCallOptions): string[] {
  if (path === null) return []
  return [`complete: ${oneLine(path)}${exists(path) ? '' : ' (no longer exists)'}`]
}

function lines(text: string): string[] {
  return text.replace(/\n+$/, '') === '' ? [] : text.replace(/\n+$/, '').split('\n')
}

function section(
  title: string,
  content: readonly string[],
  { columns }: ShowCallOptions,
  notes: readonly string[] = [],
): string[] {
  if (content.length === 0 && notes.length === 0) return []
  const width = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(20, columns - indent.length)
  return [
    '',
    styleText('bold', title),
    ...content.flatMap((line) => foldLine(visibleOutput(line), width)).map((line) => indent + line),
    ...notes.flatMap((note) => foldLine(note, width)).map((note) => indent + styleText('dim', note)),
  ]
}
