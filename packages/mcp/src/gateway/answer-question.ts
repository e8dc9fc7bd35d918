import { randomUUID } from 'node:crypto'
import type { Answer, Question } from '@curfew/core'
import {
  type ApprovalQuestion,
  approvalText,
  describeUse,
  escapeInvisible,
  type InputQuestion,
  type SecretQuestion,
  type SecretUseQuestion,
} from '@curfew/core/internal'
import { openSecretPage } from '../secret-page/secret-page.ts'
import { canElicit } from './can-elicit.ts'
import type { ClientRequest } from './client-request.ts'
import type { JsonObject } from './json-object.ts'

/** Asks the person behind a client. Returns `undefined` if the client does not support it. */
export async function answerQuestion(
  question: Question,
  request: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { capabilities } = request
  const hasForms = canElicit(capabilities, 'form')
  switch (question.kind) {
    case 'secret':
      return canElicit(capabilities, 'url') ? await askSecret(question, request, signal) : undefined
    case 'approval':
      return hasForms ? await askApproval(question, request, signal) : denyUnasked(question)
    case 'secret-use':
      return hasForms ? await askSecretUse(question, request, signal) : undefined
    case 'input':
      return hasForms ? await askInput(question, request, signal) : undefined
  }
}

const yes = 'Yes, this once'
const yesForNow = 'Yes, and for the next minute'
const yesAlways = 'Yes, always with these arguments'
const no = 'No'

async function askApproval(
  question: ApprovalQuestion,
  request: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { lasting } = request
  const canLast = lasting && question.restriction === null
  const choices = canLast ? [yes, yesForNow, yesAlways, no] : [yes, no]
  const answer = await choose(request, approvalText(question), choices, signal)
  if (answer === yes) return 'once'
  if (answer === yesForNow) return 'turn'
  // Nothing is remembered for a client that is only one request, even if it gives an answer that it was not offered.
  if (answer === yesAlways) return lasting ? 'always' : 'once'
  if (answer !== undefined) return 'no'
  return { answer: 'no', reason: 'the client returned the form without an answer' }
}

/** An `ask` rule overrides `allow` rules, so it has to be removed. */
function denyUnasked({ askRule, restriction, tool }: ApprovalQuestion): Answer {
  if (restriction !== null) {
    const reason = `${restriction}. That requires a person's approval, and this client does not support elicitation`
    return { answer: 'no', reason }
  }
  const reason =
    askRule === null
      ? `it requires a person's approval, and this client does not support elicitation; to allow it, add ${JSON.stringify(tool)} to approval.rules.allow in config.json`
      : `the rule ${JSON.stringify(askRule)} requires a person's approval, and this client does not support elicitation; to allow it, remove that rule from approval.rules.ask in config.json`
  return { answer: 'no', reason }
}

async function askSecretUse(
  question: SecretUseQuestion,
  request: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  return (await choose(request, question.message, ['Yes', no], signal)) === 'Yes' ? 'always' : 'no'
}

async function askInput(
  question: InputQuestion,
  request: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { message, choices } = question
  const text =
    choices === null
      ? await askText(request, message, signal)
      : await choose(request, message, choices, signal)
  return text == null ? undefined : { text }
}

/** Returns `null` if the person declined, and `undefined` if the form was returned without an answer. */
export async function choose(
  request: ClientRequest,
  message: string,
  choices: readonly string[],
  signal: AbortSignal,
): Promise<string | null | undefined> {
  return await fillForm(request, message, { type: 'string', title: 'Answer', enum: choices }, signal)
}

async function askText(
  request: ClientRequest,
  message: string,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  return await fillForm(request, message, { type: 'string', title: 'Answer' }, signal)
}

async function fillForm(
  request: ClientRequest,
  message: string,
  answer: JsonObject,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const requestedSchema = { type: 'object', properties: { answer }, required: ['answer'] }
  const { action, content } = await request.ask(
    'elicitation/create',
    { mode: 'form', message: escapeInvisible(message), requestedSchema },
    signal,
  )
  if (action !== 'accept') return null
  const value = (content as JsonObject | undefined)?.answer
  return typeof value === 'string' ? value : undefined
}

/** Opens our own page, so that the value passes through neither the client nor its model. */
async function askSecret(
  question: SecretQuestion,
  request: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { key, use, message } = question
  const page = await openSecretPage({ key, use: use === null ? null : describeUse(use), message, signal })
  try {
    const elicitationId = randomUUID()
    const params = { mode: 'url', message, url: page.url, elicitationId }
    const { action } = await request.ask('elicitation/create', params, signal)
    if (action !== 'accept') return 'no'
    const secret = await page.answer
    request.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } })
    return secret === null ? 'no' : { secret }
  } finally {
    await page.close()
  }
}
