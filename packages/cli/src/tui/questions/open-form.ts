import type { Question } from '@curfew/core'
import { ApprovalForm } from './approval-form.ts'
import { choicesOf, secretUseChoices } from './choice-form.ts'
import type { QuestionForm } from './question-form.ts'
import { SecretForm } from './secret-form.ts'
import { TextForm } from './text-form.ts'

/** The form for a question. `covers`: whether a rule allows a call that waits for an approval; throws if it is not a rule. */
export function openForm(
  question: Question,
  covers: (rule: string, callUid: number) => boolean,
): QuestionForm {
  switch (question.kind) {
    case 'approval': {
      const { callUid } = question
      return new ApprovalForm(question, (rule) => callUid !== null && covers(rule, callUid))
    }
    case 'input':
      return question.choices === null ? new TextForm() : choicesOf(question.choices)
    case 'secret':
      return new SecretForm()
    case 'secret-use':
      return secretUseChoices()
  }
}
