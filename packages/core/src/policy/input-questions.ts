import type { InputAnswer, InputQuestion } from '../call/question.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { InputRequest } from '../tool/tool-context.ts'
import type { AskOutcome } from './ask-person.ts'

/** The number of questions that one call may ask. */
export const maxQuestions = 100

/** The question for `context.ask`. */
export function inputQuestion(
  base: Omit<InputQuestion, 'kind' | 'message' | 'choices'>,
  { message, choices }: InputRequest,
  redactor: Redactor,
): InputQuestion {
  return {
    kind: 'input',
    ...base,
    message: redactor.text(String(message)),
    // A copy, because a tool may pass any iterable, or change it later.
    choices: choices == null ? null : Array.from(choices, (choice) => redactor.text(String(choice))),
  }
}

/** The person's text. Throws `DENIED` or `APPROVAL_EXPIRED` if there is none. */
export function readInputAnswer({ message, choices }: InputQuestion, outcome: AskOutcome): string {
  if (outcome.kind === 'expired')
    throw new CurfewError('APPROVAL_EXPIRED', `nobody answered in time: ${message}`)
  if (outcome.kind === 'unanswered')
    throw new CurfewError('DENIED', `nobody is available to answer: ${message}`)
  const text = (outcome.answer as Partial<InputAnswer> | null)?.text
  if (typeof text === 'string' && (choices?.includes(text) ?? true)) return text
  const expected = choices === null ? '{ text: "..." }' : `{ text } with one of ${choices.join(', ')}`
  throw new CurfewError('DENIED', `${message}: the answer is invalid; expected ${expected}`)
}
