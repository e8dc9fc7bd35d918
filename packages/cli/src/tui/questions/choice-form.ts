import type { InputQuestion } from '@curfew/core/internal'
import type { Key } from 'ink'
import { chooseEntry, moveSelection } from './menu-keys.ts'
import {
  done,
  type FormReaction,
  ignored,
  type MenuEntry,
  type MenuSnapshot,
  type QuestionForm,
} from './question-form.ts'

type ChoiceAnswer = Extract<FormReaction, { kind: 'answer' }>['answer']

/** One of several answers. */
export class ChoiceForm implements QuestionForm {
  readonly #answers: readonly ChoiceAnswer[]
  #snapshot: MenuSnapshot
  /** The digits that were typed, where one digit is not enough. */
  #digits = ''

  constructor(choices: readonly { readonly entry: MenuEntry; readonly answer: ChoiceAnswer }[], note = '') {
    this.#answers = choices.map(({ answer }) => answer)
    this.#snapshot = { kind: 'menu', entries: choices.map(({ entry }) => entry), selected: 0, note }
  }

  get snapshot(): MenuSnapshot {
    return this.#snapshot
  }

  isAction(input: string, key: Key): boolean {
    return chooseEntry(this.#snapshot, input, key) !== null
  }

  handleKey(input: string, key: Key): FormReaction {
    const moved = moveSelection(this.#snapshot, key) ?? this.#selectByNumber(input, key)
    if (moved !== null) {
      this.#snapshot = moved
      return done
    }
    const chosen = chooseEntry(this.#snapshot, input, key)
    return chosen === null ? ignored : { kind: 'answer', answer: this.#answers[chosen]! }
  }

  /** Digits that were typed faster than they were read. */
  insert(text: string): boolean {
    const { entries } = this.#snapshot
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (entries.length <= 9 || !isBetween(number, 1, entries.length)) return false
    this.#digits = text
    this.#snapshot = { ...this.#snapshot, selected: number - 1 }
    return true
  }

  close(): string {
    return ''
  }

  /** In a long list, digits select an entry, and Enter chooses it. */
  #selectByNumber(input: string, key: Key): MenuSnapshot | null {
    const isDigit = /^\d$/.test(input) && !key.ctrl && !key.meta
    const previous = this.#digits
    this.#digits = ''
    const { entries } = this.#snapshot
    if (!isDigit || entries.length <= 9) return null
    const number = [previous + input, input].find((digits) => isBetween(Number(digits), 1, entries.length))
    this.#digits = number ?? ''
    return number === undefined ? this.#snapshot : { ...this.#snapshot, selected: Number(number) - 1 }
  }
}

/** An input question with choices. */
export function choicesOf(choices: NonNullable<InputQuestion['choices']>): ChoiceForm {
  return new ChoiceForm(
    choices.map((text) => ({ entry: { letter: '', label: text, short: '', detail: '' }, answer: { text } })),
    choices.length === 0 ? 'There is nothing to choose from.' : '',
  )
}

/** Whether a secret may be used for something else. */
export function secretUseChoices(): ChoiceForm {
  return new ChoiceForm([
    { entry: { letter: 'y', label: 'Yes, from now on', short: 'yes', detail: '' }, answer: 'always' },
    { entry: { letter: 'n', label: 'No', short: 'no', detail: '' }, answer: 'no' },
  ])
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max
}
