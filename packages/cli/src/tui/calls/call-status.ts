import type { CallRow } from '@curfew/core'
import type { Role } from '../theme/theme.ts'

export interface CallMark {
  readonly mark: string
  readonly role: Role
}

/** The mark of a row. A running one has a spinner. */
export function callMark(row: CallRow, spinner: string): CallMark {
  switch (row.status) {
    case 'executing':
      return row.paused ? { mark: '?', role: 'warning' } : { mark: spinner, role: 'accent' }
    case 'awaiting_approval':
      return { mark: '?', role: 'warning' }
    case 'validating':
    case 'scheduled':
      return { mark: '·', role: 'muted' }
    case 'success':
      if (row.problem !== null) return { mark: '!', role: 'warning' }
      return row.detachedTo === null ? { mark: '✓', role: 'success' } : { mark: '→', role: 'accent' }
    case 'error':
      return { mark: '✗', role: 'danger' }
    case 'cancelled':
      return { mark: '⊘', role: 'warning' }
  }
}

/** What a call waits for, or `null` if it runs or has ended. Only what is known: a silent command may wait for anything. */
export function waitingFor({ status, paused }: CallRow): string | null {
  switch (status) {
    case 'executing':
      return paused ? 'waiting for you' : null
    case 'awaiting_approval':
      return 'waiting for your approval'
    case 'scheduled':
    case 'validating':
      // It is checked at once; after that, it waits for earlier calls.
      return 'waiting for its turn'
    default:
      return null
  }
}

/** For people who hear the row. */
export function statusWord({ status, detachedTo }: CallRow): string {
  switch (status) {
    case 'executing':
      return 'running'
    case 'success':
      return detachedTo === null ? 'done' : 'in the background'
    case 'error':
      return 'failed'
    case 'cancelled':
      return 'cancelled'
    default:
      return 'waiting'
  }
}
