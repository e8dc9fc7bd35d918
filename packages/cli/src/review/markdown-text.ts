import { shortPath } from '../short-path.ts'
import { oneLine } from '../terminal.ts'
import type { Location } from './review-source.ts'

const maxTextLength = 600

/** Escapes strings from definitions: no markup and no mentions. */
export function plain(text: string): string {
  return shorten(text).replace(/[\\`*_{}[\]()<>#+!|~@&]/g, (character) =>
    character === '@' || character === '<' || character === '&'
      ? `&#${character.codePointAt(0)};`
      : `\\${character}`,
  )
}

/** A code span with more backticks than the string contains; a bar would end the table cell. */
export function code(text: string): string {
  const line = shorten(text).replaceAll('|', '\\|')
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 && line !== '' ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}

export function codeLocation(location: Location | null): string {
  return location === null ? '' : code(`${shortPath(location.file)}:${location.line}`)
}

function shorten(text: string): string {
  return text.length <= maxTextLength ? oneLine(text) : `${oneLine(text.slice(0, maxTextLength))}…`
}

/** The first blocks that fit into a number of characters, each counted with a line break. */
export function takeWhileFits(blocks: readonly string[], maxLength: number): string[] {
  let used = 0
  const end = blocks.findIndex((block) => {
    used += block.length + 1
    return used > maxLength
  })
  return end < 0 ? [...blocks] : blocks.slice(0, end)
}
