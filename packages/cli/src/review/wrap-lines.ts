import wrapAnsi from 'wrap-ansi'

/** Wraps a string to lines of at most `width` columns, breaking longer words; the first line starts with `first`, the others with `rest`. */
export function wrapLines(text: string, width: number, first: string, rest: string): string[] {
  const indent = Math.max(first.length, rest.length)
  return wrapAnsi(text, width - indent, { hard: true })
    .split('\n')
    .map((line, index) => (index === 0 ? first : rest) + line)
}
