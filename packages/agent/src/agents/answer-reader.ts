import { StringDecoder } from 'node:string_decoder'
import { capText } from '@curfew/core/internal'
import { type AnswerFormat, type AnswerPart, parseLine, type ReadLine, readLineOf } from './answer-formats.ts'

/** What a program wrote as its answer. */
export interface ReadAnswer {
  readonly answer: string
  /** Whether the program marked it as final; otherwise it is what there was at its end. */
  readonly isFinal: boolean
  /** Why it failed, as it reported; `null` if it did not. */
  readonly error: string | null
  readonly tools: number
}

/** A longer line cannot be one of a program that works. */
const maxLineLength = 8 << 20
const maxAnswerLength = 1 << 20
/** Of lines that are not part of the format. */
const maxOtherLength = 16_384

/** Reads the standard output of a program, in any chunks. What it does not know is kept as text, up to a limit. */
export class AnswerReader {
  readonly #read: ReadLine | null
  /** What people see while it runs. */
  readonly #show: (text: string) => void
  readonly #decoder = new StringDecoder()
  #line = ''
  #isLineTooLong = false
  #final: string | null = null
  #messages = ''
  #open = ''
  #other = ''
  #error: string | null = null
  #tools = 0

  constructor(format: AnswerFormat, show: (text: string) => void) {
    this.#read = format === 'text' ? null : readLineOf[format]
    this.#show = show
  }

  push(chunk: Uint8Array): void {
    const text = this.#decoder.write(chunk as Buffer)
    if (this.#read === null) return this.#plain(text)
    const lines = text.split('\n')
    for (const [index, part] of lines.entries()) {
      this.#addToLine(part)
      if (index < lines.length - 1) this.#endLine()
    }
  }

  end(): ReadAnswer {
    const rest = this.#decoder.end()
    if (this.#read === null) this.#plain(rest)
    else {
      this.#addToLine(rest)
      this.#endLine()
    }
    const answer = this.#final ?? (this.#open.trim() || this.#messages.trim() || this.#other.trim())
    return {
      answer: capText(answer.trim(), maxAnswerLength),
      isFinal: this.#final !== null || this.#read === null,
      error: this.#error,
      tools: this.#tools,
    }
  }

  #plain(text: string): void {
    if (text === '') return
    this.#messages = cut(this.#messages + text, maxAnswerLength)
    this.#show(text)
  }

  #addToLine(part: string): void {
    if (this.#isLineTooLong) return
    this.#line += part
    if (this.#line.length <= maxLineLength) return
    this.#isLineTooLong = true
    this.#line = ''
  }

  #endLine(): void {
    const line = this.#line.trim()
    this.#line = ''
    if (this.#isLineTooLong) {
      this.#isLineTooLong = false
      this.#other = cut(`${this.#other}[a line of more than ${maxLineLength} characters]\n`, maxOtherLength)
      return
    }
    if (line === '') return
    const event = parseLine(line)
    if (event === null) {
      this.#other = cut(`${this.#other}${line}\n`, maxOtherLength)
      this.#show(`${capText(line, 2_000)}\n`)
      return
    }
    const part = this.#read!(event)
    if (part !== null) this.#add(part)
  }

  #add({ answer, message, delta, tool, error }: AnswerPart): void {
    if (delta !== undefined) {
      this.#open = cut(this.#open + delta, maxAnswerLength)
      this.#show(delta)
    }
    if (message !== undefined) {
      this.#messages = cut(message, maxAnswerLength)
      this.#open = ''
      this.#show(`${message}\n`)
    }
    if (tool !== undefined) {
      this.#tools++
      // What it wrote before a call is not its answer, but better than none.
      if (this.#open.trim() !== '') this.#messages = this.#open
      this.#open = ''
      this.#show(`\n› ${capText(tool, 200)}\n`)
    }
    if (answer !== undefined) this.#final = cut(answer, maxAnswerLength)
    if (error !== undefined) {
      this.#error = capText(error, 4_000)
      this.#show(`✗ ${this.#error}\n`)
    }
  }
}

/** Keeps the end, where the answer is. Not at every chunk, which would copy it each time. */
function cut(text: string, maxLength: number): string {
  return text.length <= 2 * maxLength ? text : text.slice(-maxLength)
}
