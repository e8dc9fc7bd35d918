import type { Question } from '@curfew/core'
import type { Key } from 'ink'
import { isControl, isPrintable } from './edited-line.ts'
import { done, type FormReaction, ignored, type QuestionForm } from './question-form.ts'
import type { QuestionSnapshot } from './question-snapshot.ts'

export interface Page {
  /** The number of lines that are visible at once. */
  readonly rows: number
  /** The last line that a page can begin with. */
  readonly maxFirstLine: number
  /** Nothing is hidden unless the question is expanded. */
  readonly isComplete: boolean
}

/** The question that is shown, and what the person is doing with it. */
export class ShownQuestion {
  readonly question: Question
  readonly form: QuestionForm
  /** The person has just answered the one before it. */
  readonly isNext: boolean
  focus: QuestionSnapshot['focus']
  isFocusedByTab: boolean
  page: Page = { rows: 1, maxFirstLine: 0, isComplete: false }
  #isExpanded = false
  #wasExpanded = false
  #mustRead = false
  #firstLine = 0

  constructor(
    question: Question,
    form: QuestionForm,
    { isNext, focus, isFocusedByTab }: Pick<ShownQuestion, 'isNext' | 'focus' | 'isFocusedByTab'>,
  ) {
    this.question = question
    this.form = form
    this.isNext = isNext
    this.focus = focus
    this.isFocusedByTab = isFocusedByTab
  }

  /** Changes with what is being asked. */
  get step(): string {
    const { snapshot } = this.form
    const isWarned = snapshot.kind === 'text' && snapshot.problem !== ''
    return `${this.question.id} ${snapshot.kind} ${isWarned} ${this.#mustRead}`
  }

  /** Ctrl-O and the page keys. Returns false for other keys. */
  turnPage(input: string, key: Key): boolean {
    const isToggle = isControl(input, key, 'o')
    if (!isToggle && !key.pageUp && !key.pageDown) return false
    const { rows, maxFirstLine } = this.page
    const moved = this.#firstLine + (key.pageUp ? -1 : 1) * Math.max(1, rows - 1)
    const turns = this.#isExpanded && !isToggle
    this.#firstLine = turns ? Math.max(0, Math.min(maxFirstLine, moved)) : 0
    if (!turns) this.#isExpanded = !this.#isExpanded
    this.#wasExpanded = true
    return true
  }

  /** The answer may allow what is hidden, so only a refusal is sent before it is shown. */
  #showFirst(answer: Extract<FormReaction, { kind: 'answer' }>['answer']): boolean {
    const isNo = ['no', 'stop'].includes(typeof answer === 'object' ? Object(answer).answer : answer)
    if (isNo || this.#wasExpanded || this.page.isComplete) return false
    this.#isExpanded = true
    this.#wasExpanded = true
    this.#mustRead = true
    return true
  }

  handleKey(input: string, key: Key): FormReaction {
    const isFast = isPrintable(input, key) && [...input].length > 1
    const reaction = isFast ? this.#typeFast(input, key) : this.form.handleKey(input, key)
    return reaction.kind === 'answer' && this.#showFirst(reaction.answer) ? done : reaction
  }

  /** Characters that were typed faster than they were read arrive together. */
  #typeFast(input: string, key: Key): FormReaction {
    const text = input.replace(/\r$/, '')
    if (!this.form.insert(text)) return ignored
    // A rule has to be seen before it is added.
    const isSent = text !== input && !/[\r\n]/.test(text) && this.form.snapshot.kind !== 'rule'
    return isSent ? this.form.handleKey('', { ...key, return: true }) : done
  }

  get snapshot(): Pick<
    QuestionSnapshot,
    'question' | 'focus' | 'isFocusedByTab' | 'form' | 'isExpanded' | 'mustRead' | 'firstLine'
  > {
    const { question, focus, isFocusedByTab, form } = this
    return {
      question,
      focus,
      isFocusedByTab,
      form: form.snapshot,
      isExpanded: this.#isExpanded,
      mustRead: this.#mustRead,
      firstLine: this.#firstLine,
    }
  }
}
