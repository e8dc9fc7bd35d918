import type { JournalCall } from '@curfew/journal'
import { cut } from '../terminal.ts'

export interface CallOutcome {
  /** One line without control characters: `ok`, `TOOL_TIMEOUT`, `running`. */
  readonly text: string
  readonly style: 'green' | 'red' | 'yellow' | 'cyan' | 'dim'
}

const maxWidth = 28

/** How a call ended, or what it is doing. */
export function callOutcome(call: JournalCall): CallOutcome {
  switch (call.status) {
    case 'success':
      return succeeded(call)
    case 'error':
      return { text: cut(call.code ?? 'error', maxWidth), style: 'red' }
    case 'cancelled':
      return { text: 'cancelled', style: 'yellow' }
    case 'lost':
      return { text: 'lost', style: 'red' }
    case 'executing':
      return { text: 'running', style: 'cyan' }
    case 'awaiting_approval':
      return { text: 'needs approval', style: 'cyan' }
    case 'validating':
    case 'scheduled':
      return { text: 'waiting', style: 'cyan' }
    default:
      // Of a file that Curfew did not write.
      return { text: cut(call.status, maxWidth), style: 'yellow' }
  }
}

function succeeded({ problem, detachedTo, loaded }: JournalCall): CallOutcome {
  if (detachedTo !== null) return { text: 'background', style: 'dim' }
  if (loaded) return { text: 'loaded', style: 'dim' }
  if (problem !== null && problem !== '') return { text: cut(problem, maxWidth), style: 'yellow' }
  return { text: 'ok', style: 'green' }
}
