import type { Answer } from '@curfew/core'
import type { Key } from 'ink'
import type { CheckedRule } from './check-rule.ts'
import type { EditedLine } from './edited-line.ts'

/** What a key did in a form. */
export type FormReaction =
  | { readonly kind: 'answer'; readonly answer: Exclude<Answer, 'later' | undefined> }
  /** The form may have changed. */
  | { readonly kind: 'done' }
  /** The key is not for this form. */
  | { readonly kind: 'ignored' }

export const done: FormReaction = { kind: 'done' }
export const ignored: FormReaction = { kind: 'ignored' }

/** How one question is answered. */
export interface QuestionForm {
  /** What is shown; the same object while nothing changes. Never contains a secret. */
  readonly snapshot: FormSnapshot
  /** Whether a key answers, or leads to another step. */
  isAction(input: string, key: Key): boolean
  handleKey(input: string, key: Key): FormReaction
  /** Inserts text. False if nothing can be typed at this step. */
  insert(text: string): boolean
  /** Removes what was typed. Returns what is worth keeping when the question is closed by someone else. */
  close(): string
}

export type FormSnapshot = MenuSnapshot | RuleSnapshot | ReasonSnapshot | TextSnapshot | SecretSnapshot

export interface MenuEntry {
  /** The letter that chooses it; empty if there is none. */
  readonly letter: string
  readonly label: string
  /** The label where there is little room; empty if the letter is. */
  readonly short: string
  /** Shown after the label, such as the rule that will be added. */
  readonly detail: string
}

export interface MenuSnapshot {
  readonly kind: 'menu'
  readonly entries: readonly MenuEntry[]
  readonly selected: number
  /** Why answers are missing; empty if none are. */
  readonly note: string
}

/** What `turn` or `always` will allow. */
export interface RuleSnapshot {
  readonly kind: 'rule'
  readonly answer: 'turn' | 'always'
  readonly line: EditedLine
  readonly check: CheckedRule
}

/** Why a call is denied. */
export interface ReasonSnapshot {
  readonly kind: 'reason'
  readonly line: EditedLine
}

export interface TextSnapshot {
  readonly kind: 'text'
  readonly line: EditedLine
  readonly problem: string
}

export interface SecretSnapshot {
  readonly kind: 'secret'
  /** The number of characters that were typed, up to a maximum, so that it reveals little. */
  readonly dots: number
  readonly problem: string
}
