import type { Key } from 'ink'
import { type EditedLine, editLine, emptyLine, insertText } from './edited-line.ts'
import { done, type FormReaction, ignored, type QuestionForm, type TextSnapshot } from './question-form.ts'

/** Free text. */
export class TextForm implements QuestionForm {
  #snapshot: TextSnapshot = { kind: 'text', line: emptyLine, problem: '' }

  get snapshot(): TextSnapshot {
    return this.#snapshot
  }

  isAction(_input: string, key: Key): boolean {
    return key.return
  }

  handleKey(input: string, key: Key): FormReaction {
    const { line, problem } = this.#snapshot
    if (key.return) {
      // Probably pressed by mistake, but an empty answer may be what the tool expects.
      if (line.text !== '' || problem !== '') return { kind: 'answer', answer: { text: line.text } }
      this.#set(line, 'The answer is empty. Press Enter again to send it like this.')
      return done
    }
    const edited = editLine(line, input, key)
    if (edited === null) return ignored
    this.#set(edited)
    return done
  }

  insert(text: string): boolean {
    this.#set(insertText(this.#snapshot.line, text))
    return true
  }

  close(): string {
    return this.#snapshot.line.text
  }

  #set(line: EditedLine, problem = ''): void {
    this.#snapshot = { kind: 'text', line, problem }
  }
}
