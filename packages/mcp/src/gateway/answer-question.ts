import { randomUUID } from 'node:crypto'
import type { Answer, Question } from '@curfew/core'
import {
  type ApprovalQuestion,
  approvalText,
  describeUse,
  escapeInvisible,
  type SecretQuestion,
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
  const ask = (message: string, choices?: readonly string[]): Promise<string | null | undefined> =>
    choose(request, message, choices, signal)
  switch (question.kind) {
    case 'secret':
      return canElicit(capabilities, 'url') ? await askSecret(question, request, signal) : undefined
    case 'approval':
      return hasForms ? await askApproval(question, request.lasting, ask) : denyUnasked(question)
    case 'secret-use':
      if (!hasForms) return undefined
      return (await ask(question.message, ['Yes', no])) === 'Yes' ? 'always' : 'no'
    case 'input': {
      const text = hasForms ? await ask(question.message, question.choices ?? undefined) : undefined
      return text == null ? undefined : { text }
    }
  }
}

/** Any text without `choices`. Returns `null` if the user declined, and `undefined` if the form was returned without an answer. */
export async function choose(
  request: ClientRequest,
  message: string,
  choices: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const answer = { type: 'string', title: 'Answer', ...(choices !== undefined && { enum: choices }) }
  const requestedSchema = { type: 'object', properties: { answer }, required: ['answer'] }
  const params = { mode: 'form', message: escapeInvisible(message), requestedSchema }
  const { action, content } = await request.ask('elicitation/create', params, signal)
  if (action !== 'accept') return null
  const value = (content as JsonObject | undefined)?.answer
  return typeof value === 'string' ? value : undefined
}

type Ask = (message: string, choices: readonly string[]) => Promise<string | null | undefined>

const yes = 'Yes, this once'
const yesForNow = 'Yes, and for the next minute'
const yesAlways = 'Yes, always with these arguments'
const no = 'No'

async function askApproval(question: ApprovalQuestion, lasting: boolean, ask: Ask): Promise<Answer> {
  const canLast = lasting && question.restriction === null
  const answer = await ask(approvalText(question), canLast ? [yes, yesForNow, yesAlways, no] : [yes, no])
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
