import type { Question } from '@curfew/core'
import type { FormSnapshot } from './question-form.ts'

/** What is shown of the open questions. */
export interface QuestionSnapshot {
  readonly question: Question
  /** Of `total` questions since none was open; 1 for the first. */
  readonly position: number
  readonly total: number
  /** Whether keys go to the question or to the draft. */
  readonly focus: 'question' | 'draft'
  /** The person was typing and pressed Tab: Escape leads back to the draft. */
  readonly isFocusedByTab: boolean
  /** Whether keys answer. False for a moment after the question appears. */
  readonly isReady: boolean
  readonly form: FormSnapshot
  /** Everything is shown, page by page. */
  readonly isExpanded: boolean
  /** It was expanded instead of being allowed, because parts of it were hidden. */
  readonly mustRead: boolean
  /** The first visible line of the arguments and the preview, if expanded. */
  readonly firstLine: number
  /** In the last minute before the question expires; otherwise `null`. */
  readonly secondsLeft: number | null
}

export function isSameSnapshot(a: QuestionSnapshot | null, b: QuestionSnapshot | null): boolean {
  if (a === null || b === null) return a === b
  return (Object.keys(a) as (keyof QuestionSnapshot)[]).every((key) => a[key] === b[key])
}
