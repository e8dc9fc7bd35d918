import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type PermissionOption,
} from '@agentclientprotocol/sdk'
import type { DescribedChange } from '@curfew/agent/tools'
import type { Answer, Question, QuestionHandler } from '@curfew/core'
import { approvalText } from '@curfew/core/internal'
import { describeFile, textContent, titleOf, toolCallId, toolKind } from './call-updates.ts'

type ApprovalQuestion = Extract<Question, { kind: 'approval' }>
type InputQuestion = Extract<Question, { kind: 'input' }>

export interface AskClientOptions {
  readonly client: AgentContext
  readonly capabilities: ClientCapabilities
  /** Called when the session is known. */
  readonly sessionId: () => string
  /** What a call would change. */
  readonly describeChange: (name: string, params: unknown) => Promise<DescribedChange | null>
  /** Sends what is known about a call, so that the client can show what it is asked about. */
  readonly announce: (uid: number) => Promise<void>
}

/** Answers questions through the editor. What it cannot show stays unanswered, which denies the request. */
export function askClient(options: AskClientOptions): QuestionHandler {
  return async (question, { signal }): Promise<Answer> => {
    if (question.callUid !== null) await options.announce(question.callUid)
    switch (question.kind) {
      case 'approval':
        return await askPermission(question, options, signal as AbortSignal)
      case 'input':
        return await askInput(question, options, signal as AbortSignal)
      case 'secret-use':
        return (await choose(
          question,
          useOptions,
          [textContent(question.message)],
          options,
          signal as AbortSignal,
        )) === 'always'
          ? 'always'
          : 'no'
      // A form would show the value, and editors store what is typed into them.
      case 'secret':
        return undefined
    }
  }
}

const no: PermissionOption = { optionId: 'no', name: 'No', kind: 'reject_once' }
const onceOptions: readonly PermissionOption[] = [
  { optionId: 'once', name: 'Yes, this once', kind: 'allow_once' },
  no,
  { optionId: 'stop', name: 'No, and stop everything', kind: 'reject_always' },
]
const useOptions: readonly PermissionOption[] = [
  { optionId: 'always', name: 'Yes', kind: 'allow_always' },
  no,
]

/** "Always" shows what it will allow. */
function approvalOptions({ restriction, exactRule, tool }: ApprovalQuestion): readonly PermissionOption[] {
  if (restriction !== null) return onceOptions
  const [once, ...others] = onceOptions
  return [
    once!,
    { optionId: 'turn', name: `Yes, ${tool} for this turn`, kind: 'allow_always' },
    { optionId: 'always', name: `Yes, always: ${shorten(exactRule)}`, kind: 'allow_always' },
    ...others,
  ]
}

async function askPermission(
  question: ApprovalQuestion,
  options: AskClientOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const change = await options.describeChange(question.tool, question.params)
  const content = [textContent(approvalText(question)), ...(describeFile(change).content ?? [])]
  const choices = approvalOptions(question)
  const chosen = await choose(question, choices, content, options, signal)
  const offered = choices.find(({ optionId }) => optionId === chosen)
  return (offered?.optionId as 'once' | undefined) ?? { answer: 'no', reason: 'the editor gave no answer' }
}

async function askInput(
  question: InputQuestion,
  options: AskClientOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const { choices, message } = question
  if (choices !== null) {
    const buttons = choices.map((name, index) => ({
      optionId: `${index}`,
      name,
      kind: 'allow_once' as const,
    }))
    const chosen = await choose(question, buttons, [textContent(message)], options, signal)
    const text = choices[Number(chosen ?? -1)]
    return text === undefined ? undefined : { text }
  }
  if (options.capabilities.elicitation?.form == null) return undefined
  const { client, sessionId } = options
  const response = await client.request(
    methods.client.elicitation.create,
    {
      mode: 'form',
      sessionId: sessionId(),
      message,
      requestedSchema: {
        type: 'object',
        properties: { answer: { type: 'string', title: 'Answer' } },
        required: ['answer'],
      },
    },
    { cancellationSignal: signal },
  )
  const answer = response.action === 'accept' ? Object(response.content).answer : undefined
  return typeof answer === 'string' ? { text: answer } : undefined
}

/** The id of the option that was chosen; `null` if none was. */
async function choose(
  question: Question,
  choices: readonly PermissionOption[],
  content: ReturnType<typeof textContent>[],
  { client, sessionId }: AskClientOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const { callUid, tool, params } = question
  const response = await client.request(
    methods.client.session.requestPermission,
    {
      sessionId: sessionId(),
      options: [...choices],
      toolCall: {
        toolCallId: callUid === null ? `question-${question.id}` : toolCallId(callUid),
        title: tool === '' ? question.message : titleOf(tool, params),
        kind: tool === '' ? 'other' : toolKind(tool),
        status: 'pending',
        rawInput: params,
        content,
      },
    },
    { cancellationSignal: signal },
  )
  const { outcome } = response
  return outcome.outcome === 'selected' ? outcome.optionId : null
}

function shorten(rule: string): string {
  return rule.length > 80 ? `${rule.slice(0, 79)}…` : rule
}
