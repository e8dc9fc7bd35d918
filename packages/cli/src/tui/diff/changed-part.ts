/** The part of a line that differs from the line that replaces it. */
export interface ChangedPart {
  readonly start: number
  readonly oldEnd: number
  readonly newEnd: number
}

/** Below this share of equal characters, the lines have nothing to do with each other. */
const minShare = 0.4
const letter = /[\w\p{L}\p{M}\p{Cs}]/u

/** What is between the words that two lines have in common at their start and end; `undefined` if they differ too much. */
export function changedPart(oldText: string, newText: string): ChangedPart | undefined {
  const length = Math.min(oldText.length, newText.length)
  let start = 0
  while (start < length && oldText[start] === newText[start]) start++
  while (start > 0 && (isInWord(oldText, start) || isInWord(newText, start))) start--
  let end = 0
  while (end < length - start && oldText.at(-1 - end) === newText.at(-1 - end)) end++
  while (end > 0 && (isInWord(oldText, oldText.length - end) || isInWord(newText, newText.length - end)))
    end--
  if (start + end < minShare * Math.max(oldText.length, newText.length)) return undefined
  return { start, oldEnd: oldText.length - end, newEnd: newText.length - end }
}

function isInWord(text: string, at: number): boolean {
  return letter.test(text[at - 1] ?? '') && letter.test(text[at] ?? '')
}
