import { simpleColumns } from './simple-characters.ts'

interface Grapheme {
  readonly segment: string
  readonly index: number
}

/**
 * Used instead of `new Intl.Segmenter()`, with the same results; in the bundle also by Ink. The first one of a process takes 10 ms: it
 * is created when a string has a character that needs it.
 */
export const graphemeSegmenter = {
  segment(text: string): Graphemes {
    const graphemes = simpleGraphemes(text)
    if (graphemes === undefined) return original().segment(text)
    return {
      [Symbol.iterator]: () => graphemes.values(),
      containing: (index) => graphemes[index],
    }
  },
}

/** The parts of `Intl.Segments` that are used. */
interface Graphemes extends Iterable<Grapheme> {
  containing(index: number): Grapheme | undefined
}

/** One for each UTF-16 code unit. */
function simpleGraphemes(text: string): Grapheme[] | undefined {
  const graphemes = new Array<Grapheme>(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (simpleColumns(code) === 0 && code !== escapeCode && code !== lineFeed) return undefined
    graphemes[index] = { segment: text[index]!, index }
  }
  return graphemes
}

const escapeCode = 0x1b
const lineFeed = 0x0a

let segmenter: Intl.Segmenter | undefined

function original(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter()
  return segmenter
}
