import { linesOf } from './line-range.ts'

const maxShownLines = 12
const maxShownLength = 200
/** Of lines that are compared with each other character by character. */
const maxCompared = 20_000
const maxWanted = 2_000
/** A common line, such as `}`, occurs often and tells little. */
const maxOccurrences = 500

/** Why a string was not found, with the closest lines and how they differ. */
export function describeNearMiss(text: string, wanted: string): string {
  const numbered = withoutNumbers(wanted)
  if (numbered !== null && text.includes(numbered))
    return 'old_string was not found: it contains line numbers of read_file, which are not part of the file'
  const lines = linesOf(text)
  const wantedLines = linesOf(wanted)
  const start = closestStart(lines, wantedLines)
  if (start === null) return 'old_string was not found, and no similar lines; read the file again'
  const found = lines.slice(start, start + wantedLines.length)
  const shown = found.slice(0, maxShownLines).map((line, index) => `${start + index + 1}\t${cut(line)}`)
  const difference = firstDifference(found, wantedLines, start) ?? blanksAround(wanted)
  return `old_string was not found. ${difference}. The closest lines are:\n${shown.join('\n')}`
}

/** The text without the line numbers that read_file adds; `null` if not every line has one. */
function withoutNumbers(text: string): string | null {
  const lines = text.split('\n')
  const numbered = lines.filter((line) => /^\s*\d+\t/.test(line))
  if (numbered.length === 0 || lines.some((line) => line !== '' && !/^\s*\d+\t/.test(line))) return null
  return lines.map((line) => line.replace(/^\s*\d+\t/, '')).join('\n')
}

/** The index of the line where most of the wanted lines are in place, regardless of whitespace and quotes. */
function closestStart(lines: readonly string[], wanted: readonly string[]): number | null {
  const places = new Map<string, number[]>()
  for (const [index, line] of lines.entries()) {
    const key = comparable(line)
    if (key === '') continue
    const known = places.get(key)
    if (known === undefined) places.set(key, [index])
    else if (known.length < maxOccurrences) known.push(index)
  }
  const votes = new Map<number, number>()
  for (const [index, line] of wanted.slice(0, maxWanted).entries()) {
    for (const place of places.get(comparable(line)) ?? []) {
      const start = place - index
      // A long line says more than a brace.
      if (start >= 0) votes.set(start, (votes.get(start) ?? 0) + Math.min(line.trim().length, 40))
    }
  }
  let best: number | null = null
  for (const [start, count] of votes) if (best === null || count > votes.get(best)!) best = start
  return best ?? mostSimilar(lines, wanted)
}

/** The start if no line is equal: by the pairs of characters that the longest wanted line shares with a line. */
function mostSimilar(lines: readonly string[], wanted: readonly string[]): number | null {
  const longest = wanted.reduce((a, b, index) => (b.trim().length > wanted[a]!.trim().length ? index : a), 0)
  const pairs = pairsOf(comparable(wanted[longest] ?? ''))
  let best: number | null = null
  let bestShare = 0.5
  for (const [index, line] of lines.slice(0, maxCompared).entries()) {
    const own = pairsOf(comparable(line))
    const shared = [...pairs].filter((pair) => own.has(pair)).length
    const share = (2 * shared) / (pairs.size + own.size)
    if (share > bestShare && index >= longest) {
      best = index - longest
      bestShare = share
    }
  }
  return best
}

function pairsOf(line: string): ReadonlySet<string> {
  const pairs = new Set<string>()
  for (let index = 0; index + 1 < Math.min(line.length, maxShownLength); index++)
    pairs.add(line.slice(index, index + 2))
  return pairs
}

function firstDifference(found: readonly string[], wanted: readonly string[], start: number): string | null {
  for (const [index, line] of wanted.entries()) {
    const own = found[index]
    const where = `Line ${start + index + 1} differs`
    if (own === undefined) return `${where}: the file ends before ${quote(line)}`
    if (own === line) continue
    return `${where}${kindOfDifference(own, line)}: old_string has ${quote(line)}, the file has ${quote(own)}`
  }
  return null
}

function kindOfDifference(own: string, wanted: string): string {
  if (own.trim() === wanted.trim())
    return own.trimEnd() === wanted.trimEnd() ? ' in blanks at its end' : ' in its indentation'
  if (withoutBlanks(own) === withoutBlanks(wanted)) return ' in blanks'
  if (plain(own) === plain(wanted)) return ' in quotes, dashes or similar characters'
  return comparable(own) === comparable(wanted) ? ' in blanks and quotes' : ''
}

/** All lines are equal, so what differs is before the first one or after the last one. */
function blanksAround(wanted: string): string {
  return wanted.endsWith('\n')
    ? 'It ends with a line feed that the file does not have there'
    : 'It begins or ends in the middle of a line, and that differs'
}

function comparable(line: string): string {
  return withoutBlanks(plain(line))
}

function withoutBlanks(line: string): string {
  return line.replace(/\s+/g, '')
}

/** With plain quotes, dashes and composed characters. */
function plain(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201A\u201B\u2032`]/g, "'")
    .replace(/[\u201C-\u201F\u2033\u00AB\u00BB]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
}

function quote(line: string): string {
  return JSON.stringify(cut(line))
}

function cut(line: string): string {
  return line.length > maxShownLength ? `${line.slice(0, maxShownLength)}...` : line
}
