import { RecentResults } from './recent-results.ts'
import { simpleColumns } from './simple-characters.ts'

type Transformer = (line: string, index: number) => string

interface Write {
  readonly type: 'write'
  readonly x: number
  readonly y: number
  readonly text: string
  readonly transformers: readonly Transformer[]
}

/** Ink's `Output`: what the components of a frame write, and where. */
export interface Output {
  readonly width: number
  readonly height: number
  readonly operations: readonly (Write | { readonly type: 'clip' | 'unclip' })[]
  write(x: number, y: number, text: string, options: { transformers: readonly Transformer[] }): void
  get(): Frame
}

export type OutputClass = new (options: { readonly width: number; readonly height: number }) => Output

interface Frame {
  readonly output: string
  readonly height: number
}

/**
 * Ink puts each frame together from objects for single characters, although most rows are the same as in the frame before. This is its
 * `Output` with caches: only lines and rows with new content are put together.
 */
export function withCachedRows(Original: OutputClass): OutputClass {
  const rows = new CachedRows(Original)
  return class CachedOutput extends Original {
    override get(): Frame {
      return rows.frame(this) ?? super.get()
    }
  }
}

interface Line {
  /** As Ink writes it: without redundant styles, and with all styles closed at the end. */
  readonly text: string
  /** The source leaves no style open for the next line. */
  readonly isClosed: boolean
}

interface Piece {
  readonly x: number
  readonly line: string
}

class CachedRows {
  readonly #Original: OutputClass
  readonly #lines = new RecentResults<Line>(500)
  readonly #rows = new RecentResults<string>(500)

  constructor(Original: OutputClass) {
    this.#Original = Original
  }

  /** `undefined` if rows depend on more than what is written into them. */
  frame({ width, height, operations }: Output): Frame | undefined {
    const rows: Piece[][] = []
    for (let y = 0; y < height; y++) rows.push([])
    for (const operation of operations) {
      if (operation.type !== 'write') return undefined
      const { x, y, text, transformers } = operation as Write
      for (const [index, line] of this.#linesOf(text).entries()) {
        const row = rows[y + index]
        if (row === undefined) continue
        let transformed = line
        for (const transformer of transformers) transformed = transformer(transformed, index)
        row.push({ x, line: transformed })
      }
    }
    return { output: rows.map((pieces) => this.#row(pieces, width)).join('\n'), height: rows.length }
  }

  #row(pieces: readonly Piece[], width: number): string {
    const [piece] = pieces
    if (piece === undefined) return ''
    const { x, line } = piece
    if (pieces.length === 1 && x >= 0 && x <= width && !line.includes('\n'))
      return (' '.repeat(x) + this.#line(line).text).trimEnd()
    const key = pieces.map(({ x, line }) => `${x}\0${line}`).join('\0')
    return this.#rows.get(`${width}\0${key}`, () => {
      const output = new this.#Original({ width, height: 1 })
      // Transformers are called last, with lines that must not be split.
      for (const { x, line } of pieces) output.write(x, 0, 'any', { transformers: [() => line] })
      return output.get().output
    })
  }

  /** The lines of a text as Ink passes them to transformers: each with the styles that began on a line before. */
  #linesOf(text: string): readonly string[] {
    const sources = text.split('\n')
    const lines = sources.map((source) => this.#line(source))
    const areIndependent = lines.every(({ isClosed }, index) => isClosed || index === lines.length - 1)
    return areIndependent ? lines.map(({ text }) => text) : this.#original(text)
  }

  #line(source: string): Line {
    if (isUnstyled(source)) return { text: source, isClosed: true }
    return this.#lines.get(source, () => {
      const text = this.#original(source).join('')
      // Without transformers, a line is looked up again as it is written.
      if (text !== source) this.#lines.get(text, () => ({ text, isClosed: true }))
      return { text, isClosed: this.#original(`${source}x`).join('') === `${text}x` }
    })
  }

  #original(text: string): string[] {
    const lines: string[] = []
    const collect = (line: string): string => {
      lines.push(line)
      return ''
    }
    const output = new this.#Original({ width: 0, height: text.split('\n').length })
    output.write(0, 0, text, { transformers: [collect] })
    output.get()
    return lines
  }
}

/** Ink leaves such a line as it is. */
function isUnstyled(line: string): boolean {
  for (let index = 0; index < line.length; index++)
    if (simpleColumns(line.charCodeAt(index)) === 0) return false
  return true
}
