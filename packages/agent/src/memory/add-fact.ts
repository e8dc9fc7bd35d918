import { escapeInvisible } from '@curfew/core/internal'

/** The section that saved facts are added to. */
const heading = '## Remembered facts'

/** A fact as one line of a list: it cannot begin a section of its own. */
export function oneLineFact(fact: string): string {
  let line = escapeInvisible(fact.replace(/\s+/g, ' ').trim()).replaceAll('<!--', '<! --')
  for (let before = ''; before !== line; ) {
    before = line
    line = line.replace(/^(?:[-*+>]|#{1,6}|\d{1,9}[.)])(?:\s+|$)/, '')
  }
  return line
}

/** Adds a line of `oneLineFact` to the text of a file, and keeps everything else. Returns `null` if the file contains it already. */
export function addFact(text: string, fact: string): string | null {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const complete = text === '' || text.endsWith('\n') ? text : text + newline
  const lines = complete.split('\n')
  const start = findHeading(lines)
  if (start === -1) {
    const gap = complete === '' || /\n\r?\n$/.test(complete) ? '' : newline
    return complete + gap + [heading, '', `- ${fact}`, ''].join(newline)
  }
  const next = lines.findIndex((line, index) => index > start && /^#{1,6}\s/.test(line))
  const section = lines.slice(start + 1, next === -1 ? undefined : next)
  const known = section.filter((line) => line.startsWith('- ')).map((line) => keyOf(line.slice(2)))
  if (known.includes(keyOf(fact))) return null
  const last = section.findLastIndex((line) => line.trim() !== '')
  const carriage = newline === '\r\n' ? '\r' : ''
  const gap = last === -1 ? [carriage] : []
  return lines.toSpliced(start + 2 + last, 0, ...gap, `- ${fact}${carriage}`).join('\n')
}

/** Not inside of a code block. */
function findHeading(lines: readonly string[]): number {
  let fence: string | null = null
  for (const [index, line] of lines.entries()) {
    const [, mark] = /^ {0,3}(```|~~~)/.exec(line) ?? []
    if (mark !== undefined) fence = fence === null ? mark : fence === mark ? null : fence
    else if (fence === null && line.trimEnd() === heading) return index
  }
  return -1
}

function keyOf(fact: string): string {
  return fact.trim().toLowerCase().replace(/\.$/, '')
}
