import type { JournalCall } from '@curfew/journal'
import { cut } from '../terminal.ts'

export interface CallOutcome {
  /** `✓`, `✗` or another character. */
  readonly mark: string
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
      return { mark: '✗', text: cut(call.code ?? 'error', maxWidth), style: 'red' }
    case 'cancelled':
      return { mark: '⊘', text: 'cancelled', style: 'yellow' }
    case 'lost':
      return { mark: '✗', text: 'lost', style: 'red' }
    case 'executing':
      return { mark: '>', text: 'running', style: 'cyan' }
    case 'awaiting_approval':
      return { mark: '>', text: 'needs approval', style: 'cyan' }
    case 'validating':
    case 'scheduled':
      return { mark: '>', text: 'waiting', style: 'cyan' }
    default:
      // Of a file that Curfew did not write.
      return { mark: '?', text: cut(call.status, maxWidth), style: 'yellow' }
  }
}

function succeeded({ problem, detachedTo, loaded }: JournalCall): CallOutcome {
  if (detachedTo !== null) return { mark: '✓', text: `continues as ${cut(detachedTo, 24)}`, style: 'green' }
  if (loaded) return { mark: '✓', text: 'loaded', style: 'green' }
  if (problem !== null && problem !== '') return { mark: '!', text: cut(problem, maxWidth), style: 'yellow' }
  return { mark: '✓', text: 'ok', style: 'green' }
}
