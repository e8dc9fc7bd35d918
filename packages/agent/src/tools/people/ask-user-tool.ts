import { CurfewError, type Tool, type ToolContext } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'

const maxChoices = 10

const parameters = objectSchema(['question'], {
  question: described(
    { type: 'string', minLength: 1, maxLength: 4_000 },
    'The question, with everything that the person needs to know to answer it.',
  ),
  choices: {
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 200 },
    maxItems: maxChoices,
    uniqueItems: true,
    default: [],
    description: `Up to ${maxChoices} answers to choose from; empty if the person can answer with any text.`,
  },
})

export interface UserAnswer {
  /** `null` if nobody answered. */
  readonly answer: string | null
  /** Why there is no answer; `null` if there is one. */
  readonly reason: string | null
}

/** Lets a model ask the person. The clock of the call is paused meanwhile. */
export const askUserTool: Tool<never, UserAnswer> = defineToolFrom(
  {
    name: 'ask_user',
    title: 'Ask the person',
    description: 'Ask the person a question, with choices or for any text, and wait for the answer.',
    usage:
      'Use it when the task can be understood in several ways, and a wrong guess would be expensive. Not for permission to call a tool: the person is asked for that anyway. ' +
      'Not for secrets: answers become part of the conversation. Returns the answer; if nobody can answer, it says so, and you have to decide yourself.',
    parameters,
    readOnly: true,
    openWorld: false,
    // One question at a time.
    resources: () => ['person'],
    execute: async ({ question, choices }, context): Promise<UserAnswer> => {
      try {
        const answer = await context.ask({
          message: `The model asks: ${question}`,
          ...(choices.length > 0 && { choices }),
        })
        return { answer, reason: null }
      } catch (error) {
        return { answer: null, reason: whyUnanswered(error, context) }
      }
    },
  },
  { adapter: 'builtin', textOf: (value) => answerText(value as UserAnswer) },
)

/** Rethrows what is not about the answer. */
function whyUnanswered(error: unknown, { signal }: ToolContext): string {
  const isUnanswered =
    error instanceof CurfewError && (error.code === 'DENIED' || error.code === 'APPROVAL_EXPIRED')
  if (!isUnanswered || signal.aborted) throw error
  return error.code === 'DENIED' ? 'nobody gave a valid answer' : 'nobody answered in time'
}

function answerText({ answer, reason }: UserAnswer): string {
  if (answer !== null) return answer === '' ? '(the person answered with an empty line)' : answer
  return `There is no answer: ${reason}. Do not ask again. Decide yourself, choose what is easiest to undo, and say in your answer what you assumed.`
}
