import type { CallSnapshot, Question } from '@curfew/core/rows'
import { useSources } from './curfew-provider.tsx'
import { useSelected } from './use-selected.ts'

/** The questions that wait for an answer, oldest first. Renders when one is opened or closed. Answer them with `runtime.answer`. */
export function useQuestions(): readonly Question[] {
  return useSelected(useSources().runtime, questionsOf)
}

function questionsOf({ questions }: CallSnapshot): readonly Question[] {
  return questions
}
