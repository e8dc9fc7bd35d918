import type { ApprovalQuestion } from '@curfew/core/internal'
import type { Key } from 'ink'
import { checkRule } from './check-rule.ts'
import { type EditedLine, editLine, emptyLine, insertText, lineOf } from './edited-line.ts'
import { chooseEntry, moveSelection } from './menu-keys.ts'
import {
  done,
  type FormReaction,
  type FormSnapshot,
  ignored,
  type MenuEntry,
  type QuestionForm,
} from './question-form.ts'

type Step = 'once' | 'turn' | 'always' | 'no' | 'stop'

/** Whether a call may run: five answers, a reason for "no", and the rule of "turn" and "always", which is shown before it is added. */
export class ApprovalForm implements QuestionForm {
  readonly #question: ApprovalQuestion
  readonly #covers: (rule: string) => boolean
  readonly #answers: readonly Step[]
  readonly #menu: Extract<FormSnapshot, { kind: 'menu' }>
  #snapshot: FormSnapshot

  /** `covers`: whether a rule allows the call; throws if it is not a rule. */
  constructor(question: ApprovalQuestion, covers: (rule: string) => boolean) {
    this.#question = question
    this.#covers = covers
    this.#answers = answersOf(question)
    const entries = this.#answers.map((answer) => entryOf(answer, question))
    this.#menu = { kind: 'menu', entries, selected: 0, note: noteOf(question) }
    this.#snapshot = this.#menu
  }

  get snapshot(): FormSnapshot {
    return this.#snapshot
  }

  isAction(input: string, key: Key): boolean {
    if (this.#snapshot.kind !== 'menu') return key.return
    return chooseEntry(this.#snapshot, input, key) !== null
  }

  handleKey(input: string, key: Key): FormReaction {
    const { kind } = this.#snapshot
    if (kind === 'reason') return this.#handleReason(this.#snapshot.line, input, key)
    if (kind === 'rule') return this.#handleRule(input, key)
    return this.#handleMenu(input, key)
  }

  insert(text: string): boolean {
    if (this.#snapshot.kind === 'reason') this.#setReason(insertText(this.#snapshot.line, text))
    else if (this.#snapshot.kind === 'rule')
      // A copied line often ends with a line break, which would be part of the rule.
      this.#setRule(this.#snapshot.answer, insertText(this.#snapshot.line, text.trimEnd()))
    else return false
    return true
  }

  close(): string {
    return this.#snapshot.kind === 'reason' ? this.#snapshot.line.text : ''
  }

  #handleMenu(input: string, key: Key): FormReaction {
    if (this.#snapshot.kind !== 'menu') return ignored
    const moved = moveSelection(this.#snapshot, key)
    if (moved !== null) {
      this.#snapshot = moved
      return done
    }
    const chosen = chooseEntry(this.#snapshot, input, key)
    if (chosen === null) return ignored
    const answer = this.#answers[chosen]!
    this.#snapshot = { ...this.#snapshot, selected: chosen }
    if (answer === 'no') this.#setReason(emptyLine)
    else if (answer === 'turn' || answer === 'always')
      this.#setRule(answer, lineOf(defaultRule(answer, this.#question)))
    else return { kind: 'answer', answer }
    return done
  }

  #handleReason(line: EditedLine, input: string, key: Key): FormReaction {
    if (key.escape) return this.#back('no')
    if (key.return) {
      const reason = line.text.trim()
      return { kind: 'answer', answer: reason === '' ? 'no' : { answer: 'no', reason } }
    }
    const edited = editLine(line, input, key)
    if (edited === null) return ignored
    this.#setReason(edited)
    return done
  }

  #handleRule(input: string, key: Key): FormReaction {
    if (this.#snapshot.kind !== 'rule') return ignored
    const { answer, line, check } = this.#snapshot
    if (key.escape) return this.#back(answer)
    if (key.return)
      return check.problem === '' ? { kind: 'answer', answer: { answer, rule: line.text } } : done
    const edited = editLine(line, input, key)
    if (edited === null) return ignored
    this.#setRule(answer, edited)
    return done
  }

  #back(from: Step): FormReaction {
    this.#snapshot = { ...this.#menu, selected: this.#answers.indexOf(from) }
    return done
  }

  #setReason(line: EditedLine): void {
    this.#snapshot = { kind: 'reason', line }
  }

  #setRule(answer: 'turn' | 'always', line: EditedLine): void {
    this.#snapshot = { kind: 'rule', answer, line, check: checkRule(line.text, this.#question, this.#covers) }
  }
}

function answersOf({ restriction, canRemember }: ApprovalQuestion): readonly Step[] {
  if (restriction !== null) return ['once', 'no', 'stop']
  return canRemember ? ['once', 'turn', 'always', 'no', 'stop'] : ['once', 'turn', 'no', 'stop']
}

/** What the runtime adds if the answer has no rule. */
function defaultRule(answer: 'turn' | 'always', { tool, exactRule }: ApprovalQuestion): string {
  return answer === 'always' ? exactRule : tool
}

const entries: Readonly<Record<Step, Omit<MenuEntry, 'detail'>>> = {
  once: { letter: 'y', label: 'Yes, once', short: 'once' },
  turn: { letter: 't', label: 'Yes, for this turn', short: 'turn' },
  always: { letter: 'a', label: 'Yes, always', short: 'always' },
  no: { letter: 'n', label: 'No', short: 'no' },
  stop: { letter: 's', label: 'Stop everything', short: 'stop' },
}

function entryOf(answer: Step, question: ApprovalQuestion): MenuEntry {
  const entry = entries[answer]
  if (answer === 'turn') return { ...entry, detail: `every call of ${question.tool}` }
  if (answer === 'always') return { ...entry, detail: question.exactRule }
  return { ...entry, detail: answer === 'no' ? 'you can add a reason' : '' }
}

function noteOf({ restriction, canRemember }: ApprovalQuestion): string {
  if (restriction !== null) return 'Only this once: calls like this one are asked about each time.'
  return canRemember ? '' : 'Not always: this answer would not be remembered.'
}
