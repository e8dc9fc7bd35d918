import { lineEnd, lineStart } from './graphemes.ts'

/** No word is longer, and a longer line must not make a key slow. */
const maxDistance = 1_000

/** Where the word before the cursor starts; the end of the previous line if there is none in this one. */
export function wordStartBefore(text: string, cursor: number): number {
  const start = lineStart(text, cursor)
  if (start === cursor) return Math.max(0, cursor - 1)
  const from = Math.max(start, cursor - maxDistance)
  const before = text.slice(from, cursor)
  let found = 0
  for (const { index, isWordLike } of words().segment(before)) if (isWordLike) found = index
  return from + found
}

/** Where the word after the cursor ends; the start of the next line if there is none in this one. */
export function wordEndAfter(text: string, cursor: number): number {
  const end = lineEnd(text, cursor)
  if (end === cursor) return Math.min(text.length, cursor + 1)
  const after = text.slice(cursor, Math.min(end, cursor + maxDistance))
  for (const { index, segment, isWordLike } of words().segment(after))
    if (isWordLike) return cursor + index + segment.length
  return cursor + after.length
}

/** Like `wordStartBefore`, but goes on in the lines before. */
export function previousWord(text: string, cursor: number): number {
  let from = cursor
  while (from > 0 && text[from - 1] === '\n') from--
  return wordStartBefore(text, from)
}

/** Like `wordEndAfter`, but goes on in the lines after. */
export function nextWord(text: string, cursor: number): number {
  let from = cursor
  while (text[from] === '\n') from++
  return wordEndAfter(text, from)
}

/** Like `wordStartBefore`, but a word is everything between two spaces, as for Ctrl-W in a shell. */
export function spacedWordStartBefore(text: string, cursor: number): number {
  const start = lineStart(text, cursor)
  if (start === cursor) return Math.max(0, cursor - 1)
  let index = cursor
  while (index > start && isSpace(text[index - 1]!)) index--
  while (index > start && !isSpace(text[index - 1]!)) index--
  return index
}

let segmenter: Intl.Segmenter | undefined

/** Created when it is needed, because the first one of a process takes 10 ms. */
function words(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  return segmenter
}

function isSpace(character: string): boolean {
  return /\s/.test(character)
}
