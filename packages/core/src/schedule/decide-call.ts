import type { CallRequest } from '../call/read-calls.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { Decision } from '../tool/conversation.ts'
import type { Scheduler } from './scheduler.ts'

/** What would happen to a call, without running or counting it. An asynchronous schema is not applied. */
export function decideCall(scheduler: Scheduler, request: CallRequest, turn: TurnState): Decision {
  const { admission, gate } = scheduler
  const call = scheduler.factory.createDraft(request, turn)
  try {
    const problem = admission.dryRun(call)
    if (problem !== null) return rejected(problem)
  } catch (error) {
    return rejected(error)
  }
  if (call.loads) return { verdict: 'allow', rule: null, question: null, error: null }
  try {
    const decided = gate.decide(call)
    const { verdict, rule, mode, restriction } = decided
    const question = verdict === 'ask' ? gate.question(call, decided, null) : null
    return {
      verdict,
      rule,
      question,
      error: null,
      ...(mode !== null && { mode: mode.name }),
      ...(restriction !== undefined && { restriction }),
    }
  } catch (error) {
    return rejected(error)
  }
}

function rejected(error: unknown): Decision {
  const code = error instanceof CurfewError ? error.code : 'INVALID_PARAMS'
  return { verdict: 'deny', rule: null, question: null, error: { code, message: messageOf(error) } }
}
