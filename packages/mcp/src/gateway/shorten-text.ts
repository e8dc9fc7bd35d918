/** Marks text that was shortened, so that the model knows that there is more. */
export const moreMark = '…'

/** An abbreviation does not end a sentence, and neither does a dot inside a name or a number. */
const sentenceEnd = /(?<!\b(?:e\.g|i\.e|etc|vs|approx|incl|cf))[.!?](?=\s|$)|[。！？]/iu
/** Within a paragraph, a line that starts with a lower-case letter continues the one before. */
const lineEnd = /\n\s*(?=\n)|\n\s*(?=[^\s\p{Ll}])/u
const parentheses = /\s*\([^()]*\)/gu
/** Longer texts are not searched for the end of a sentence. */
const searchedLength = 2_000

/**
 * The first sentence, at most `maxLength` characters of it. Ends with `…` if something was left out. A text of up to `minLength` characters
 * is kept whole: there is little to gain.
 */
export function firstSentence(text: string, maxLength: number, minLength = 0): string {
  const whole = text.trim()
  if (whole.length <= minLength) return oneLine(whole)
  const start = whole.slice(0, searchedLength)
  const line = start.slice(0, lineEnd.exec(start)?.index)
  const end = sentenceEnd.exec(line)
  const sentence = oneLine(line.slice(0, end === null ? undefined : end.index + 1))
  const fitting =
    sentence.length <= maxLength ? sentence : cutAtWord(sentence.replace(parentheses, ''), maxLength)
  return fitting === oneLine(whole) ? fitting : markAsShortened(fitting)
}

export function markAsShortened(text: string): string {
  return `${text.replace(/[\s.,:;…]+$/u, '')}${moreMark}`
}

/** The beginning of a text, up to the last line or word that fits. */
export function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  // One more character shows whether the last word is complete.
  const start = text.slice(0, maxLength + 1)
  const end = Math.max(start.lastIndexOf(' '), start.lastIndexOf('\n'))
  // A text without spaces is cut anywhere, but not inside a surrogate pair.
  return end > maxLength / 2 ? start.slice(0, end) : start.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}
