import { neutralise } from '../../terminal.ts'
import type { MarkdownBlock } from '../markdown/markdown-block.ts'
import { MarkdownStream } from '../markdown/markdown-stream.ts'
import { renderBlock } from '../markdown/render-block.ts'
import { NewText } from './new-text.ts'
import type { Layout } from './transcript.ts'

/** Prints what a model writes block by block, as soon as a block cannot change any more. */
export class AnswerWriter {
  readonly #print: (lines: (layout: Layout) => readonly string[]) => void
  #blocks = new MarkdownStream()
  #pending: MarkdownBlock | null = null
  #received = ''
  /** Set after a response was cut off. */
  #newText: NewText | null = null

  constructor(print: (lines: (layout: Layout) => readonly string[]) => void) {
    this.#print = print
  }

  /** The block that is not finished; the same object while it does not change. */
  get pending(): MarkdownBlock | null {
    this.#pending ??= this.#blocks.pending ?? null
    return this.#pending
  }

  push(text: string): void {
    this.#received += text
    if (this.#newText === null) return this.#write(text)
    const next = this.#newText.push(text)
    if (next === null) return
    if (!next.isContinued) this.#finish()
    this.#newText = null
    this.#write(next.text)
  }

  /** The response is complete. */
  end(): void {
    this.#newText = null
    this.#received = ''
    this.#finish()
  }

  /** The response was cut off, and the model is asked again. What is on the screen stays, and is not repeated. */
  cutOff(): void {
    if (this.#received === '') return
    this.#newText = new NewText(this.#received)
    this.#received = ''
  }

  #write(text: string): void {
    this.#blocks.push(text)
    this.#printFinished()
  }

  #finish(): void {
    this.#blocks.end()
    this.#printFinished()
    this.#blocks = new MarkdownStream()
    this.#pending = null
  }

  #printFinished(): void {
    this.#pending = null
    for (const block of this.#blocks.takeFinished())
      this.#print((layout) => (layout.isSpoken ? sourceLines(block) : renderBlock(block, layout)))
  }
}

/** Markdown is plain text; drawn as tables and frames, it would not be. */
function sourceLines({ source, hasGap }: MarkdownBlock): string[] {
  const lines = neutralise(source).trimEnd().split('\n')
  return hasGap ? ['', ...lines] : lines
}
