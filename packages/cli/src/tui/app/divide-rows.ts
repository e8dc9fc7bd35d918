/** What the live region contains. */
export interface RegionContents {
  /** With completions and notices. */
  readonly inputRows: number
  readonly hasHint: boolean
  /** The rows that a menu would like to have; 0 without one. */
  readonly menuRows: number
  readonly hasQuestion: boolean
  /** The question is shown page by page. */
  readonly isExpanded: boolean
  readonly queuedRows: number
  readonly isWorking: boolean
  /** The rows that the calls would like to have; 0 without calls. */
  readonly callRows: number
  readonly hasPending: boolean
}

/** The maximum height of each part; 0 if it is not shown. */
export interface RegionRows {
  readonly pending: number
  readonly calls: number
  readonly working: number
  readonly queued: number
  readonly question: number
  readonly menu: number
  /** Blank rows: before the calls, before a question or menu, before the input. */
  readonly gaps: { readonly calls: boolean; readonly question: boolean; readonly input: boolean }
}

/**
 * One for the cursor below the region, and one above it: what is erased from the first row on, tmux moves to the scrollback, where every
 * frame would stay.
 */
export const freeRows = 2

/** A question with a short text and its answers. */
const typicalQuestionRows = 13

/**
 * Divides the terminal's rows, of which some stay free. The input comes first, then a menu or a question, then the rest.
 */
export function divideRows(terminalRows: number, contents: RegionContents): RegionRows {
  const { inputRows, hasHint, menuRows, hasQuestion, isExpanded } = contents
  const statusRows = hasHint ? 2 : 1
  const room = Math.max(1, terminalRows - freeRows - statusRows - inputRows)
  const gap = room >= 6 ? 1 : 0
  const left = room - gap
  const isAsking = hasQuestion && menuRows === 0
  const menu = Math.min(menuRows, left)
  const besides = isAsking ? besidesQuestion(left, isExpanded) : left - menu
  const { used, hasGap, ...above } = divideAbove(besides, terminalRows, contents, isAsking || menu > 0)
  const isAlone = used === 0 && ((isAsking && left >= 8) || (menu > 0 && left > menu))
  return {
    ...above,
    question: isAsking ? left - used - (isAlone ? 1 : 0) : 0,
    menu,
    gaps: { calls: hasGap, question: isAlone || (used > 0 && (isAsking || menu > 0)), input: gap > 0 },
  }
}

function besidesQuestion(left: number, isExpanded: boolean): number {
  return isExpanded ? 0 : Math.max(0, Math.min(left - typicalQuestionRows, Math.floor(left / 3)))
}

type Above = Pick<RegionRows, 'pending' | 'calls' | 'working' | 'queued'> & {
  readonly used: number
  readonly hasGap: boolean
}

/** What is above a question or a menu. */
function divideAbove(
  room: number,
  terminalRows: number,
  { queuedRows, isWorking, callRows, hasPending }: RegionContents,
  isFollowed: boolean,
): Above {
  const gaps = isFollowed ? 2 : 1
  if (room <= gaps) return { pending: 0, calls: 0, working: 0, queued: 0, used: 0, hasGap: false }
  let left = room - gaps
  const working = isWorking ? Math.min(1, left) : 0
  left -= working
  const queued = Math.min(queuedRows, Math.ceil(left / 2))
  left -= queued
  const half = hasPending ? Math.floor(left / 2) : left
  const calls = Math.min(callRows, half, Math.max(1, Math.floor(terminalRows / 2)))
  const pending = hasPending ? Math.min(left - calls, Math.max(1, Math.floor(terminalRows / 3))) : 0
  const used = working + queued + calls + pending
  const hasGap = working + queued + calls > 0
  return { pending, calls, working, queued, used: used + (used > 0 ? gaps : 0), hasGap }
}
