import { cutLine, type FoundLine } from './found-line.ts'

/** Counts the matching lines of a text, and returns the first `max` with their context. */
export function findLines(
  text: string,
  expression: RegExp,
  max: number,
  context: number,
): { readonly count: number; readonly lines: readonly FoundLine[] } {
  const all = text.split('\n')
  // After the last line break there is no line.
  if (all.at(-1) === '') all.pop()
  const lines: FoundLine[] = []
  let count = 0
  let contextEnd = 0
  let next = 0
  const addUntil = (end: number): void => {
    for (; next < end; next++) lines.push({ number: next + 1, text: cutLine(all[next]!, 0), isMatch: false })
  }
  for (const [index, line] of all.entries()) {
    const found = expression.exec(line.endsWith('\r') ? line.slice(0, -1) : line)
    if (found === null) continue
    if (count <= max) addUntil(Math.min(index, contextEnd))
    if (count++ >= max) continue
    next = Math.max(next, index - context)
    addUntil(index)
    lines.push({ number: ++next, text: cutLine(line, found.index), isMatch: true })
    contextEnd = next + context
  }
  if (count <= max) addUntil(Math.min(all.length, contextEnd))
  return { count, lines }
}
