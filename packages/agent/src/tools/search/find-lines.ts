import { cutLine, type FoundLine } from './found-line.ts'
import { endOfLine, type LineMatcher, startOfLine } from './line-matcher.ts'
import { type SearchedText, showText, toBytes } from './searched-text.ts'

/** Counts the matching lines of a text, and returns the first `max` with their context. */
export function findLines(
  decoded: SearchedText,
  matcher: LineMatcher,
  max: number,
  context: number,
): { readonly count: number; readonly lines: readonly FoundLine[] } {
  const { text } = decoded
  const lines: FoundLine[] = []
  let count = 0
  // The first line that has not been added or passed over, and its number.
  let at = 0
  let number = 1

  const add = (isMatch: boolean, matchAt = 0): void => {
    const end = endOfLine(text, at)
    lines.push({ number, text: shownLine(text.slice(at, end), matchAt), isMatch })
    at = end + 1
    number++
  }
  const addContextAfter = (limit: number): void => {
    for (let left = context; left > 0 && count > 0 && at < limit; left--) add(false)
  }

  for (let from = 0; from < text.length; ) {
    const found = matcher.next(decoded, from)
    // After the last line break there is no line.
    if (found < 0 || (found === text.length && text.endsWith('\n'))) break
    const start = startOfLine(text, found)
    if (count <= max) addContextAfter(start)
    if (count < max) {
      const contextStart = linesBefore(text, start, at, context)
      for (; at < contextStart; number++) at = endOfLine(text, at) + 1
      while (at < start) add(false)
      add(true, found - start)
    }
    count++
    from = endOfLine(text, found) + 1
  }
  if (count <= max) addContextAfter(text.length)
  return { count, lines }
}

/** The start of the line that is `count` lines before `start`, but not before `first`. */
function linesBefore(text: string, start: number, first: number, count: number): number {
  let at = start
  for (let left = count; left > 0 && at > first; left--) at = startOfLine(text, at - 1)
  return at
}

/** The position of the match in a text with replacement characters may differ. */
function shownLine(line: string, matchAt: number): string {
  if (line.isWellFormed()) return cutLine(line, matchAt)
  return cutLine(showText(line), toBytes(line.slice(0, matchAt)).toString('utf8').length)
}
