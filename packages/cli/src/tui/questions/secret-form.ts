import { minSecretLength } from '@curfew/core/internal'
import type { Key } from 'ink'
import { cleanText, isControl, isPrintable, maxLineLength } from './edited-line.ts'
import { done, type FormReaction, ignored, type QuestionForm, type SecretSnapshot } from './question-form.ts'

/** Reveals that something was typed, but not how much. */
const maxDots = 20

/** The value of a secret. It is in no snapshot, and only until it is sent or the question is closed. */
export class SecretForm implements QuestionForm {
  #value = ''
  #snapshot: SecretSnapshot = { kind: 'secret', dots: 0, problem: '' }

  get snapshot(): SecretSnapshot {
    return this.#snapshot
  }

  isAction(_input: string, key: Key): boolean {
    return key.return || key.escape
  }

  handleKey(input: string, key: Key): FormReaction {
    if (key.escape) return { kind: 'answer', answer: 'no' }
    if (key.return) {
      const value = this.#value
      if (value.length >= minSecretLength) return { kind: 'answer', answer: { secret: value } }
      this.#set(value, `Enter at least ${minSecretLength} characters, or press Esc to decline.`)
    } else if (isControl(input, key, 'u')) this.#set('')
    else if (key.backspace) this.#set([...this.#value].slice(0, -1).join(''))
    else if (isPrintable(input, key)) this.insert(input)
    else return ignored
    return done
  }

  /** A copied value often ends with a line break, which is not part of it. */
  insert(text: string): boolean {
    const value = this.#value + withoutOuterBreaks(cleanText(text))
    if (value.length <= maxLineLength) this.#set(value)
    else this.#set(this.#value, `A secret has at most ${maxLineLength} characters; this was not added.`)
    return true
  }

  close(): string {
    this.#set('')
    return ''
  }

  #set(value: string, problem = ''): void {
    this.#value = value
    const dots = Math.min(value.length, maxDots)
    const { snapshot } = this
    if (snapshot.dots !== dots || snapshot.problem !== problem)
      this.#snapshot = { kind: 'secret', dots, problem }
  }
}

function withoutOuterBreaks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && text[start] === '\n') start++
  while (end > start && text[end - 1] === '\n') end--
  return text.slice(start, end)
}
