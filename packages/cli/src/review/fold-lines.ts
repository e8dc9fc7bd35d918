import { widthOf } from '../terminal.ts'

/** Lines of at most so many columns, also where a word is longer. */
export function foldLines(text: string, width: number, first: string, rest: string): string[] {
  const lines: string[] = []
  let line = first
  let taken = widthOf(first)
  let isEmpty = true
  const add = (part: string, columns: number): void => {
    line += part
    taken += columns
    isEmpty = false
  }
  const end = (): void => {
    lines.push(line)
    line = rest
    taken = widthOf(rest)
    isEmpty = true
  }
  for (const word of text.split(' ')) {
    const columns = widthOf(word)
    if (!isEmpty && taken + 1 + columns > width) end()
    if (!isEmpty) add(' ', 1)
    if (taken + columns <= width) {
      add(word, columns)
      continue
    }
    for (const character of word) {
      const one = widthOf(character)
      if (!isEmpty && taken + one > width) end()
      add(character, one)
    }
  }
  lines.push(line)
  return lines
}
