import type { Runtime } from '@curfew/core'
import type { Key } from 'ink'
export class QuestionPanel {
  readonly #runtime: Runtime
  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }
  handleKey(input: string, _key: Key): boolean {
    const [question] = this.#runtime.getSnapshot().questions
    if (question === undefined) return false
    if (input === 'y') this.#runtime.answer(question.id, 'once')
    if (input === 'n') this.#runtime.answer(question.id, 'no')
    return true
  }
  paste(_text: string): boolean {
    return false
  }
  dispose(): void {}
}
