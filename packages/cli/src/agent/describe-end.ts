import type { AgentEvent } from '@curfew/agent'
import { oneLine } from '../terminal.ts'

type End = Extract<AgentEvent, { type: 'end' }>

/** Names the limit as people set it in the configuration, not as an option of the library. */
export function messageOfEnd({ message, failure }: Pick<End, 'message' | 'failure'>): string | null {
  switch (failure?.kind) {
    case 'first-token':
      return `${failure.message} (modelTimeouts.firstToken)`
    case 'idle':
    case 'total':
      return `${failure.message} (modelTimeouts.${failure.kind})`
    default:
      return message
  }
}

/** Why a turn ended, in one line. */
export function describeEnd(reason: End['reason'], message: string | null): string {
  const words = reason === 'abort' ? 'interrupted' : reason.replace('-', ' ')
  return message === null ? words : `${words}: ${oneLine(message)}`
}
