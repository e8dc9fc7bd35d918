const maxReadLength = 20_000
const listItem = /^\s*(?:[-*+•‣◦·]\s|\(?\d{1,3}[.)]\s)/
/** A few words on their own line, without punctuation. */
const title = /^[^\s.!?:;,]+(?: [^\s.!?:;,]+){0,3}$/
const abbreviations = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|max|min|no|fig|al)\.$/i
const boundary = /[.!?]["')\]*`]{0,3}\s+(?=["'([*`]{0,3}[\p{Lu}\d])/gu

export interface Prose {
  /** Sentences outside of lists. */
  readonly sentences: readonly string[]
  readonly listItems: readonly string[]
}

/** Splits a description into sentences and list items. */
export function splitProse(text: string): Prose {
  const sentences: string[] = []
  const listItems: string[] = []
  let paragraph: string[] = []
  const flush = (): void => {
    sentences.push(...splitSentences(paragraph.join(' ')))
    paragraph = []
  }
  for (const line of text.slice(0, maxReadLength).split(/\r\n?|\n/)) {
    if (paragraph.length === 1 && title.test(paragraph[0]!) && /^\s*\p{Lu}/u.test(line)) flush()
    if (listItem.test(line)) {
      flush()
      listItems.push(line.trim())
    } else if (line.trim() === '') flush()
    else {
      const [text, items] = inlineItems(line.trim())
      if (text !== '') paragraph.push(text)
      if (items.length > 0) flush()
      listItems.push(...items)
    }
  }
  flush()
  return { sentences, listItems }
}

const inlineMarks = [/(?<=^|[\s:(])\(?(\d)[.)] (?=\S)/g, /[•‣◦] ?/g]

/** Splits `Steps: 1. open 2. close` into the text before the items and the items. */
function inlineItems(line: string): readonly [text: string, items: readonly string[]] {
  if (!/\d[.)] |[•‣◦]/.test(line)) return [line, []]
  for (const mark of inlineMarks) {
    const found = [...line.matchAll(mark)]
    const first = found.findIndex(
      ([, number], index) => number === undefined || (number === '1' && found[index + 1]?.[1] === '2'),
    )
    if (first < 0 || found.length < 2) continue
    const starts = found.slice(first).map(({ index }) => index)
    const items = starts.map((start, index) => line.slice(start, starts[index + 1]).trim())
    return [line.slice(0, starts[0]).trim(), items]
  }
  return [line, []]
}

export function splitSentences(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (const match of text.matchAll(boundary)) {
    if (abbreviations.test(text.slice(Math.max(0, match.index - 10), match.index + 1))) continue
    const end = match.index + match[0].length
    sentences.push(text.slice(start, end).trim())
    start = end
  }
  const rest = text.slice(start).trim()
  if (rest !== '') sentences.push(rest)
  return sentences
}
