import { widthOf } from '../../terminal.ts'
import { graphemeSegmenter } from '../ink/grapheme-segmenter.ts'

const plain = /^[ -~]*$/
const emoji = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u
const keycap = '\u20e3'
export const tab = '    '

/** The graphemes of a string: what a person sees as one character. */
export function graphemesOf(text: string): Iterable<string> {
  return plain.test(text) ? text : Array.from(graphemeSegmenter.segment(text), ({ segment }) => segment)
}

/** Where the grapheme before the index starts. */
export function boundaryBefore(text: string, index: number): number {
  return index <= 0 ? 0 : containing(text, index - 1).start
}

/** Where the grapheme at the index ends. */
export function boundaryAfter(text: string, index: number): number {
  return index >= text.length ? text.length : containing(text, index).end
}

/** The index itself if it is between two graphemes, otherwise the end of the grapheme that contains it. */
export function nearestBoundary(text: string, index: number): number {
  if (index <= 0) return 0
  if (index >= text.length) return text.length
  const { start, end } = containing(text, index)
  return start === index ? index : end
}

/** In terminal columns. */
export function graphemeWidth(grapheme: string): number {
  const width = widthOf(grapheme)
  if (width < 2) return grapheme.includes(keycap) ? 2 : width
  // The parts of a joined emoji or flag are drawn as one.
  return emoji.test(grapheme) ? 2 : width
}

/** How a grapheme is drawn. One that would be invisible, or join what is before it on the screen, is a dotted circle. */
export function drawGrapheme(grapheme: string): { readonly shown: string; readonly width: number } {
  if (grapheme === '\t') return { shown: tab, width: tab.length }
  const width = graphemeWidth(grapheme)
  return width === 0 ? { shown: '◌', width: 1 } : { shown: grapheme, width }
}

export function lineStart(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1
}

export function lineEnd(text: string, index: number): number {
  const end = text.indexOf('\n', index)
  return end === -1 ? text.length : end
}

/** Segments only the line of the index, because a line break is always a boundary. */
function containing(text: string, index: number): { readonly start: number; readonly end: number } {
  if (text[index] === '\n') return { start: index, end: index + 1 }
  const first = lineStart(text, index)
  const found = graphemeSegmenter.segment(text.slice(first, lineEnd(text, index))).containing(index - first)!
  const start = first + found.index
  return { start, end: start + found.segment.length }
}
