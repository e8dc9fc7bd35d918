import { formatDuration } from '@curfew/core'
import { cut } from '../../terminal.ts'
import type { Retry, SessionState } from '../session/session-state.ts'
import type { Layout } from '../transcript/transcript.ts'

export interface Working extends Pick<SessionState, 'turn' | 'retry' | 'command' | 'thinking'> {
  /** Calls are running, which show their own times. */
  readonly hasCalls: boolean
  /** The model is writing its answer. */
  readonly isWriting: boolean
}

/** What is going on, in one line; `null` if nothing is. */
export function workingText(working: Working, now: number, { width, theme }: Layout): string | null {
  const { turn, retry, command } = working
  if (retry !== null) return theme.warning(retryText(retry, now, width))
  if (turn === null) return command === null ? null : theme.muted(cut(`… ${command} · Esc cancels`, width))
  const elapsed = seconds(now - turn.startedAt - turn.waitedMs)
  const end = ` · ${elapsed} · Esc cancels`
  const room = width - 2 - end.length
  return theme.muted(cut(`● ${room > 8 ? cut(activity(working), room) : 'working'}${end}`, width))
}

function activity({ hasCalls, thinking, isWriting }: Working): string {
  if (hasCalls) return 'working'
  if (thinking !== '') return `thinking: ${thinking.trimEnd().split('\n').at(-1)}`
  return isWriting ? 'writing' : 'waiting for the model'
}

/** `↻ attempt 2 of 5 in 3 s: 429 Too Many Requests · Esc cancels`: where it does not fit, the cause is shortened. */
function retryText({ cause, attempt, maxAttempts, at }: Retry, now: number, width: number): string {
  const waitMs = at - now
  const lead = `↻ attempt ${attempt} of ${maxAttempts}${waitMs > 500 ? ` in ${seconds(waitMs)}` : ''}: `
  const end = ' · Esc cancels'
  const room = width - lead.length - end.length
  return room < 10 ? cut(lead + cause, width) : `${lead}${cut(cause, room)}${end}`
}

function seconds(ms: number): string {
  return ms < 1_000 ? '0 s' : formatDuration(Math.floor(ms / 1_000) * 1_000)
}
