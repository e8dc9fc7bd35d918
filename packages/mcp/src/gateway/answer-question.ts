import { randomUUID } from 'node:crypto'
import type { Answer, Question } from '@curfew/core'
import {
  type ApprovalQuestion,
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

/** Puts a question of the runtime to the person behind a client. `undefined`: this client cannot be asked. */
export async function answerQuestion(
  question: Question,
  exchange: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { capabilities } = exchange
  const canFill = canElicit(capabilities, 'form')
  switch (question.kind) {
    case 'secret':
      return canElicit(capabilities, 'url') ? await askSecret(question, exchange, signal) : undefined
    case 'approval':
      return canFill ? await askApproval(question, exchange, signal) : unaskable(question)
    case 'secret-use':
      return canFill ? await askSecretUse(question, exchange, signal) : undefined
    case 'input':
      return canFill ? await askInput(question, exchange, signal) : undefined
  }
}

const yes = 'Yes, this once'
const yesForNow = 'Yes, and for the next minute'
const no = 'No'

async function askApproval(
  question: ApprovalQuestion,
  exchange: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const answer = await choose(
    exchange,
    question.message,
    exchange.lasting ? [yes, yesForNow, no] : [yes, no],
    signal,
  )
  if (answer === yes) return 'once'
  if (answer === yesForNow) return 'turn'
  if (answer !== undefined) return 'no'
  return { answer: 'no', reason: 'the client sent the form back without an answer' }
}

/** An `ask` rule outranks any that allows, so only the person who wrote it can open it. */
function unaskable({ askRule, tool }: ApprovalQuestion): Answer {
  const why =
    askRule === null
      ? `a person has to allow it, and this client cannot ask one; to let it run, add ${JSON.stringify(tool)} to approval.rules.allow in config.json`
      : `the rule ${JSON.stringify(askRule)} wants a person asked, and this client cannot ask one (it has no elicitation); to let it run, take that rule out of approval.rules.ask in config.json`
  return { answer: 'no', reason: why }
}

async function askSecretUse(
  question: SecretUseQuestion,
  exchange: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  return (await choose(exchange, question.message, ['Yes', no], signal)) === 'Yes' ? 'always' : 'no'
}

async function askInput(
  question: InputQuestion,
  exchange: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { message, choices } = question
  const text =
    choices === null
      ? await write(exchange, message, signal)
      : await choose(exchange, message, choices, signal)
  return text == null ? undefined : { text }
}

async function choose(
  exchange: ClientRequest,
  message: string,
  choices: readonly string[],
  signal: AbortSignal,
): Promise<string | null | undefined> {
  return await fill(exchange, message, { type: 'string', title: 'Answer', enum: choices }, signal)
}

async function write(
  exchange: ClientRequest,
  message: string,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  return await fill(exchange, message, { type: 'string', title: 'Answer' }, signal)
}

/** `null` if the person did not want to; `undefined` if the form came back empty. */
async function fill(
  exchange: ClientRequest,
  message: string,
  answer: JsonObject,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const requestedSchema = { type: 'object', properties: { answer }, required: ['answer'] }
  const { action, content } = await exchange.ask(
    'elicitation/create',
    { mode: 'form', message: escapeInvisible(message), requestedSchema },
    signal,
  )
  if (action !== 'accept') return null
  const given = (content as JsonObject | undefined)?.answer
  return typeof given === 'string' ? given : undefined
}

/** On a page of our own: what is typed there goes through neither the client nor its model. */
async function askSecret(
  question: SecretQuestion,
  exchange: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { key, use, message } = question
  const page = await openSecretPage({ key, use: use === null ? null : describeUse(use), message, signal })
  try {
    const elicitationId = randomUUID()
    const params = { mode: 'url', message, url: page.url, elicitationId }
    const { action } = await exchange.ask('elicitation/create', params, signal)
    if (action !== 'accept') return 'no'
    const secret = await page.answer
    exchange.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } })
    return secret === null ? 'no' : { secret }
  } finally {
    await page.close()
  }
}
