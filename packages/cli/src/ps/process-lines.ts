import type { CallRow } from '@curfew/core'
import type { Contact, RunningCall, RunningProcess } from '@curfew/journal'
import { emptyRow } from '../live/pending-row.ts'
import { homePath } from '../short-path.ts'
import { count, cut, oneLine, widthOf } from '../terminal.ts'
import { callLines } from '../tui/calls/call-lines.ts'
import { fitLine } from '../tui/calls/fit-line.ts'
import type { Theme } from '../tui/theme/theme.ts'
import { callForest, type PlacedCall } from './call-forest.ts'

export interface ProcessLinesOptions {
  readonly width: number
  /** The maximum number of lines. */
  readonly height: number
  /** Milliseconds since 1970. */
  readonly now: number
  readonly theme: Theme
  /** The mark of a running call. */
  readonly spinner: string
  /** The calls are of several projects. */
  readonly hasProjects: boolean
}

const contactNotes: Readonly<Record<Contact, string>> = {
  connected: '',
  none: '',
  silent: 'does not respond; as last recorded',
  unknown: 'does not respond and may have ended; as last recorded',
}

const maxIdWidth = 20
const maxDepth = 8
const minCallWidth = 30

interface Line {
  readonly text: string
  /** The first line of a call. */
  readonly isCall: boolean
}

/** The running calls of each process, in at most `height` lines of at most `width` columns. */
export function processLines(processes: readonly RunningProcess[], options: ProcessLinesOptions): string[] {
  const busy = processes.filter(({ calls, omitted }) => calls.length + omitted > 0)
  const withTails = linesOf(busy, options, 2)
  const lines = withTails.length <= options.height ? withTails : linesOf(busy, options, 1)
  if (lines.length <= options.height) return lines.map(({ text }) => text)
  // One line is for those that are left out, and the name of a process needs a call below it.
  let shown = lines.slice(0, Math.max(0, options.height - 1))
  shown = shown.slice(0, shown.findLastIndex(({ isCall }) => isCall) + 1)
  const hidden = lines.slice(shown.length).filter(({ isCall }) => isCall).length
  const omitted = busy.reduce((sum, process) => sum + process.omitted, 0)
  const more = `+ ${count(hidden + omitted, 'more call')}; curfew ps lists them`
  return [...shown.map(({ text }) => text), options.theme.muted(fitLine(more, options.width))]
}

function linesOf(
  processes: readonly RunningProcess[],
  options: ProcessLinesOptions,
  linesPerCall: number,
): Line[] {
  const { width, theme, hasProjects } = options
  const lines: Line[] = []
  const add = (text: string, isCall = false): number => lines.push({ text, isCall })
  const longest = processes.reduce(
    (width, { calls }) => Math.max(width, ...calls.map(({ id }) => id.length)),
    0,
  )
  const idWidth = Math.min(longest, maxIdWidth, Math.max(0, Math.floor(width / 2) - 4))
  const projects = new Map<string, RunningProcess[]>()
  for (const process of processes) {
    const project = hasProjects ? process.project : ''
    projects.set(project, [...(projects.get(project) ?? []), process])
  }
  for (const [project, ofProject] of projects) {
    if (hasProjects) add(theme.strong(fitLine(oneLine(homePath(project)), width)))
    for (const process of ofProject) {
      add(processLine(process, options))
      for (const placed of callForest(process.calls))
        for (const [index, line] of placedLines(placed, idWidth, options, linesPerCall).entries())
          add(line, index === 0)
      if (process.omitted > 0) add(theme.muted(fitLine(`  + ${count(process.omitted, 'more call')}`, width)))
    }
  }
  return lines
}

/** `mcp (process 4711) · does not respond` */
function processLine(
  { program, pid, contact }: RunningProcess,
  { width, theme }: ProcessLinesOptions,
): string {
  const name = `${oneLine(program)} (process ${pid})`
  const note = contactNotes[contact]
  const room = width - widthOf(name) - 3
  const shown = theme.muted(fitLine(name, width))
  return note === '' || room < 10
    ? shown
    : `${shown}${theme.muted(' · ')}${theme.warning(fitLine(note, room))}`
}

function placedLines(
  { call, depth, hasChildren }: PlacedCall,
  idWidth: number,
  { width, now, theme, spinner }: ProcessLinesOptions,
  maxLines: number,
): string[] {
  const lead = `  ${cut(call.id, idWidth).padEnd(idWidth)}  `
  const left = width - lead.length
  const indent = ' '.repeat(Math.max(0, Math.min(2 * Math.min(depth, maxDepth), left - minCallWidth)))
  const lines = callLines(toRow(call), {
    width: Math.max(10, left - indent.length),
    now,
    theme,
    spinner,
    maxLines,
    moreHint: null,
    isBusyInside: hasChildren,
  })
  return lines.map((line, index) => (index === 0 ? lead : ' '.repeat(lead.length)) + indent + line)
}

/** With what is not known about calls of other processes left empty. */
export function toRow({ parent: _, tool, ...call }: RunningCall): CallRow {
  return { ...emptyRow, ...call, name: tool, timeoutSource: null, question: null }
}
