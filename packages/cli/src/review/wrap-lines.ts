import { widthOf, wrap } from '../terminal.ts'

/** Wraps a string to lines of at most `width` columns, breaking longer words; the first line starts with `first`, the others with `rest`. */
export function wrapLines(text: string, width: number, first: string, rest: string): string[] {
  const columns = width - Math.max(first.length, rest.length)
  const words = text.split(' ').flatMap((word) => breakWord(word, columns))
  return wrap(words.join(' '), columns).map((line, index) => (index === 0 ? first : rest) + line)
}

function breakWord(word: string, columns: number): string[] {
  if (widthOf(word) <= columns) return [word]
  const pieces = ['']
  let used = 0
  for (const character of word) {
    const added = widthOf(character)
    if (used + added > columns && used > 0) {
      pieces.push('')
      used = 0
    }
    pieces[pieces.length - 1] += character
    used += added
  }
  return pieces
}
