import { forEachCluster } from '../../character-clusters.ts'
import { widthOf } from '../../text-width.ts'
import type { Role, Theme } from '../theme/theme.ts'

/**
 * Wraps at spaces and between Chinese or Japanese characters; a word that is wider than a line is broken. `\n` starts a new line,
 * and spaces at the start of such a line are kept.
 */
export function wrapSpans(spans: readonly Span[], width: number): Line[] {
  const writer = new LineWriter(width)
  for (const span of spans) {
    for (const [piece] of span.text.matchAll(/\n| +|[^ \n]+/g)) {
      if (piece === '\n') writer.endLine()
      else if (piece.startsWith(' ')) writer.addSpaces({ ...span, text: piece })
      else writer.addText({ ...span, text: piece })
    }
  }
  return writer.end()
}

/** Breaks a line wherever it reaches `width`, so that no space gets lost. */
export function breakSpans(spans: readonly Span[], width: number): Line[] {
  const writer = new LineWriter(width)
  writer.fill(spans)
  return writer.end()
}

const plain = /^[ -~]*$/
/** Punctuation that must not start a line. */
const closing = /^[、。，．：；？！）」』】〉》〕］｝・ー々…’”%,.:;?!)\]}]/u
/** Punctuation that must not end a line. */
const opening = /^[（「『【〈《〔［｛‘“([{]/u

class LineWriter {
  readonly #width: number
  readonly #lines: Line[] = []
  #line: Span[] = []
  #used = 0
  #spaces: Span[] = []
  #word: Span[] = []
  #wordWidth = 0
  /** The last character of the word. */
  #last = ''
  /** Spaces at the start of a line are kept, unless the line continues another one. */
  #isContinued = false

  constructor(width: number) {
    this.#width = width
  }

  addSpaces(span: Span): void {
    this.#endWord()
    this.#spaces.push(span)
  }

  addText(span: Span): void {
    if (plain.test(span.text) && widthOf(this.#last) < 2)
      return this.#addToWord(span, span.text.length, span.text.at(-1)!)
    forEachCluster(span.text, (cluster, width) => {
      const canBreak =
        (width === 2 || widthOf(this.#last) === 2) && !closing.test(cluster) && !opening.test(this.#last)
      if (canBreak) this.#endWord()
      this.#addToWord({ ...span, text: cluster }, width, cluster)
    })
  }

  endLine(): void {
    this.#endWord()
    this.#pushLine()
    this.#isContinued = false
  }

  end(): Line[] {
    this.endLine()
    return this.#lines
  }

  /** Fills the current line and as many more as are needed. */
  fill(spans: readonly Span[]): void {
    for (const span of spans) {
      if (plain.test(span.text)) this.#fillPlain(span)
      else forEachCluster(span.text, (cluster, width) => this.#fillCluster({ ...span, text: cluster }, width))
    }
  }

  #fillPlain(span: Span): void {
    for (let start = 0; start < span.text.length; ) {
      if (this.#used >= this.#width) this.#continueLine()
      const end = start + this.#width - this.#used
      const text = span.text.slice(start, end)
      this.#line.push({ ...span, text })
      this.#used += text.length
      start = end
    }
  }

  #fillCluster(span: Span, width: number): void {
    if (this.#used > 0 && this.#used + width > this.#width) this.#continueLine()
    this.#line.push(span)
    this.#used += width
  }

  #addToWord(span: Span, width: number, last: string): void {
    this.#word.push(span)
    this.#wordWidth += width
    this.#last = last
  }

  #endWord(): void {
    const [word, width] = [this.#word, this.#wordWidth]
    this.#word = []
    this.#wordWidth = 0
    this.#last = ''
    if (word.length === 0) return
    const spaces = this.#used === 0 && this.#isContinued ? [] : this.#spaces
    this.#spaces = []
    const spaceWidth = spaces.reduce((sum, { text }) => sum + text.length, 0)
    if (this.#used + spaceWidth + width <= this.#width) {
      this.#line.push(...spaces, ...word)
      this.#used += spaceWidth + width
    } else {
      if (this.#used > 0) this.#continueLine()
      this.fill(word)
    }
  }

  #continueLine(): void {
    this.#pushLine()
    this.#isContinued = true
  }

  #pushLine(): void {
    this.#lines.push(this.#line)
    this.#line = []
    this.#used = 0
    this.#spaces = []
  }
}

/** A string without control characters, and the roles that style it, the outermost first. */
export interface Span {
  readonly text: string
  readonly roles: readonly Role[]
}

/** The spans of one line on the screen. */
export type Line = readonly Span[]

/** Adds the styles. Each style is closed where its span ends, so that a line can be printed on its own. */
export function paint(line: Line, theme: Theme): string {
  let painted = ''
  for (let index = 0; index < line.length; ) {
    const { roles } = line[index]!
    let text = ''
    while (index < line.length && haveSameRoles(line[index]!.roles, roles)) text += line[index++]!.text
    painted += roles.reduceRight((styled, role) => theme[role](styled), text)
  }
  return painted
}

/** Puts `prefix` before a line; an empty line gets no spaces at its end. */
export function withPrefix(prefix: Span, line: Line): Line {
  if (line.length > 0) return [prefix, ...line]
  const text = prefix.text.trimEnd()
  return text === '' ? [] : [{ ...prefix, text }]
}

export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + widthOf(text), 0)
}

function haveSameRoles(a: readonly Role[], b: readonly Role[]): boolean {
  return a === b || (a.length === b.length && a.every((role, index) => role === b[index]))
}
