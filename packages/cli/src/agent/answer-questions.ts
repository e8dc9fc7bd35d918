import type { Answer, Question, QuestionHandler } from '@curfew/core'
import { escapeInvisible } from '@curfew/core/internal'
import { quote } from '../completion/quote.ts'

/** A longer rule is not useful on a command line. */
const maxRuleLength = 200

interface AnswerOptions {
  /** `--yes`: approve everything that would be asked. */
  readonly yes: boolean
  /** Asks on the terminal; `undefined` if there is none. */
  readonly terminal: QuestionHandler | undefined
}

/** Answers the questions of `curfew -p`. Without a terminal, approvals are denied with the option that would allow the call. */
export function answerQuestions({ yes, terminal }: AnswerOptions): QuestionHandler {
  return (question, context): Answer | Promise<Answer> => {
    // A secret must not be used elsewhere because of --yes, and a restriction is for a person.
    if (yes && question.kind === 'approval' && question.restriction === null) return 'once'
    if (terminal !== undefined) return terminal(question, context)
    if (question.kind !== 'approval') return undefined
    if (question.restriction !== null) {
      const reason = `${question.restriction}. That needs the approval of a person, and there is no terminal to ask on`
      return { answer: 'no', reason }
    }
    return {
      answer: 'no',
      reason: `it needs approval, and there is no terminal to ask on. ${howToAllow(question)}`,
    }
  }
}

function howToAllow({ exactRule, tool }: Extract<Question, { kind: 'approval' }>): string {
  const isUsable = exactRule.length <= maxRuleLength && escapeInvisible(exactRule) === exactRule
  const rule = isUsable && !exactRule.includes('\n') ? exactRule : tool
  return `To allow it, run curfew with --allow ${quote(rule)}, or with --yes to allow everything that needs approval`
}
