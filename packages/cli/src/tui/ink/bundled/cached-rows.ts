import { RecentResults } from './recent-results.ts'

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
 * `Output` with a cache: only rows with new content are put together.
 */
export function withCachedRows(Original: OutputClass): OutputClass {
  const caches: Caches = { lines: new RecentResults(500), rows: new RecentResults(500) }
  return class CachedOutput extends Original {
    override get(): Frame {
      return cachedFrame(this, Original, caches) ?? super.get()
    }
  }
}

interface Caches {
  readonly lines: RecentResults<readonly string[]>
  readonly rows: RecentResults<string>
}

/** `undefined` if rows depend on more than what is written into them. */
function cachedFrame(frame: Output, Original: OutputClass, caches: Caches): Frame | undefined {
  const rows: Piece[][] = []
  for (let y = 0; y < frame.height; y++) rows.push([])
  for (const operation of frame.operations) {
    if (operation.type !== 'write') return undefined
    const { x, y, text, transformers } = operation as Write
    const lines = caches.lines.get(text, () => linesOf(text, Original))
    for (const [index, line] of lines.entries()) {
      const row = rows[y + index]
      if (row === undefined) continue
      let transformed = line
      for (const transformer of transformers) transformed = transformer(transformed, index)
      row.push({ x, line: transformed })
    }
  }
  const outputs = rows.map((pieces) => {
    const key = pieces.map(({ x, line }) => `${x}\0${line}`).join('\0')
    return caches.rows.get(`${frame.width}\0${key}`, () => rowOf(pieces, frame.width, Original))
  })
  return { output: outputs.join('\n'), height: rows.length }
}

interface Piece {
  readonly x: number
  readonly line: string
}

/** The lines of a text as Ink passes them to transformers: each with the styles that began on a line before. */
function linesOf(text: string, Original: OutputClass): readonly string[] {
  const lines: string[] = []
  const output = new Original({ width: 0, height: text.split('\n').length })
  const collect = (line: string): string => {
    lines.push(line)
    return ''
  }
  output.write(0, 0, text, { transformers: [collect] })
  output.get()
  return lines
}

function rowOf(pieces: readonly Piece[], width: number, Original: OutputClass): string {
  const output = new Original({ width, height: 1 })
  // Transformers are called last, with lines that must not be split.
  for (const { x, line } of pieces) output.write(x, 0, 'any', { transformers: [() => line] })
  return output.get().output
}
