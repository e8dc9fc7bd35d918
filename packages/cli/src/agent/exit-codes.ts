import type { CommandResult, EndReason } from '@curfew/agent'
import { exitCodeOfCall } from '../call/exit-code-of-call.ts'

/** The exit code of `curfew -p` by the reason why the turn ended. An interruption has 128 and the number of its signal. */
export const exitCodes: Readonly<Record<EndReason, number>> = {
  answer: 0,
  'model-failure': 1,
  limit: 3,
  loop: 4,
  budget: 5,
  cancelled: 6,
  'model-switched': 7,
  abort: 130,
}

/** A command that was typed instead of a prompt: the same codes as `curfew call`. */
export function exitCodeOfCommand(result: CommandResult): number {
  if (result.type === 'error') return 2
  return result.type === 'call' ? exitCodeOfCall(result.result) : 0
}
