import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { CommandHost, CommandResult } from '@curfew/agent'
import { formatDuration } from '@curfew/core'
import type { JournalCall, JournalReader } from '@curfew/journal'
import { stateHome } from '../state-home.ts'
import { cut, oneLine, terminalWidth } from '../terminal.ts'

interface LogHostOptions {
  /** The folder of the project. */
  readonly project: string
  /** The id of the saved conversation; `null` if it is not saved. */
  readonly session: () => string | null
  /** Resolves when the calls up to now are recorded. */
  readonly flush?: (() => Promise<void>) | undefined
}

const maxCallWidth = 120
/** A disk that does not respond must not keep a person waiting. */
const maxFlushMs = 1_000

/** `/log`: the recorded calls of this project. */
export function logHost({ project, session, flush }: LogHostOptions): NonNullable<CommandHost['log']> {
  const open = async (): Promise<JournalReader> => {
    await Promise.race([flush?.(), delay(maxFlushMs, undefined, { ref: false })])
    const { readJournal } = await import('@curfew/journal')
    return readJournal({ stateFolder: stateHome(), project })
  }
  return {
    async list({ failed, session: isOwn, limit }) {
      const own = session()
      if (isOwn && own === null) return { type: 'error', message: '/log: this conversation is not saved' }
      const reader = await open()
      const calls = reader.calls({ failed, session: isOwn ? own! : undefined })
      return await toTable(first(calls, limit), failed || isOwn)
    },
    async show(id) {
      const found = (await open()).call(id)
      if (!('call' in found)) {
        const hint = found.hint === '' ? '/log lists them' : found.hint
        return { type: 'error', message: `/log: no call with the id ${oneLine(id)} is recorded; ${hint}` }
      }
      const { showCall } = await import('../log/show-call.ts')
      const columns = Math.max(40, Math.min(terminalWidth(process.stdout) ?? 80, 100))
      const text = showCall(found, { columns, now: Date.now(), exists: existsSync })
      return { type: 'text', text: stripVTControlCharacters(text) }
    },
  }
}

function first(calls: Iterable<JournalCall>, limit: number): JournalCall[] {
  const found: JournalCall[] = []
  for (const call of calls) if (found.push(call) >= limit) break
  return found
}

async function toTable(calls: readonly JournalCall[], isFiltered: boolean): Promise<CommandResult> {
  if (calls.length === 0)
    return {
      type: 'text',
      text: isFiltered ? 'No calls match.' : 'No calls are recorded in this project yet.',
    }
  const [{ callOutcome }, { callTime }, { callDuration }, { callArgumentsLine }] = await Promise.all([
    import('../log/call-outcome.ts'),
    import('../log/call-time.ts'),
    import('../log/call-duration.ts'),
    import('../log/call-arguments-line.ts'),
  ])
  const now = Date.now()
  return {
    type: 'table',
    columns: ['id', 'when', 'took', 'outcome', 'call'],
    rows: calls.map((call) => [
      cut(call.id, 24),
      callTime(call.createdAt, now),
      took(callDuration(call, now)),
      callOutcome(call).text,
      cut(`${oneLine(call.tool)} ${callArgumentsLine(call.args)}`, maxCallWidth),
    ]),
    note: 'To see everything about a call: /log ID',
  }
}

function took(durationMs: number | null): string {
  return durationMs === null ? '-' : formatDuration(durationMs)
}
