import type { ConversationState } from '../conversation/conversation-state.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { AskOutcome, AskPerson } from '../policy/ask-person.ts'
import { inputQuestion, readInputAnswer } from '../policy/input-questions.ts'
import type { CallServices } from '../schedule/call-services.ts'
import { cancelledError } from '../schedule/cancelled-error.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from '../store/call.ts'
import type { InputRequest } from '../tool/tool-context.ts'

interface AskServices {
  readonly person: AskPerson
  readonly services: Pick<CallServices, 'pause'>
  readonly redactor: Redactor
}

/** Asks a question of a conversation. If it runs inside a call, that call asks, and its clocks are paused. */
export async function askInConversation(
  { person, services, redactor }: AskServices,
  conversation: ConversationState,
  parent: Call | null,
  request: InputRequest,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (signal?.aborted) throw cancelledError(signal.reason)
  if (parent !== null && !parent.active) throw cancelledError(`its parent call ${parent.name} was stopped`)
  const base = {
    ...person.identify(conversation),
    callUid: parent?.uid ?? null,
    callId: parent?.callId ?? '',
    tool: parent?.name ?? '',
    params: {},
  }
  const question = inputQuestion(base, request, redactor)
  const resume = services.pause(parent)
  let stop = (): void => {}
  try {
    const outcome = await new Promise<AskOutcome>((resolve, reject) => {
      const withdraw = person.ask(question, conversation, resolve)
      stop = () => {
        withdraw()
        reject(
          signal?.aborted
            ? cancelledError(signal.reason)
            : new CurfewError('CANCELLED', 'the conversation was closed'),
        )
      }
      conversation.onClose = (conversation.onClose ?? new Set()).add(stop)
      signal?.addEventListener('abort', stop, { once: true })
    })
    return readInputAnswer(question, outcome)
  } finally {
    conversation.onClose?.delete(stop)
    signal?.removeEventListener('abort', stop)
    resume()
  }
}
