import type { OutputPart } from './sources.ts'

/** The maximum number of characters in memory. */
export const maxWindowLength = 262_144
/** Cutting more than necessary keeps the cost per character constant. */
const lengthAfterCut = 196_608

/** The end of an output that is read in parts. */
export class OutputWindow {
  text = ''
  /** The offset of `text` in the output. */
  offset = 0

  add({ text, offset }: OutputPart): void {
    if (text === '') return
    const end = this.offset + this.text.length
    if (offset < this.offset || offset > end) {
      this.text = text
      this.offset = offset
    } else {
      // A part begins one character early if it would otherwise begin within a surrogate pair.
      this.text = (offset === end ? this.text : this.text.slice(0, offset - this.offset)) + text
    }
    if (this.text.length > maxWindowLength) this.#cut()
  }

  #cut(): void {
    const at = this.text.length - lengthAfterCut
    const isPair = (this.text.charCodeAt(at) & 0xfc00) === 0xdc00
    const start = isPair ? at + 1 : at
    this.text = this.text.slice(start)
    this.offset += start
  }
}
