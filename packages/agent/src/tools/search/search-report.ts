import type { FoundFile, FoundLine } from './found-line.ts'

/** What `search_files` returns. */
export interface SearchReport {
  /** All matching lines, including those that are not shown. */
  readonly matches: number
  readonly shownMatches: number
  /** The number of files with matches. */
  readonly fileCount: number
  /** Sorted by path. */
  readonly files: readonly { readonly path: string; readonly lines: readonly FoundLine[] }[]
  /** What was searched, for the message that there are no matches. */
  readonly searched: string
  /** Tells the user how to get a faster search. */
  readonly note: string | null
}

/** Below the default of `maxContentLength`, so that the runtime does not cut the middle. */
const maxLength = 60_000

/** Keeps as many lines as fit into a result. */
export function searchReport(
  found: { readonly files: readonly FoundFile[]; readonly matches: number; readonly fileCount: number },
  searched: string,
): Omit<SearchReport, 'note'> {
  const files: { path: string; lines: FoundLine[] }[] = []
  let length = 0
  let shownMatches = 0
  for (const { path, lines } of found.files) {
    const fitting: FoundLine[] = []
    length += path.length + 2
    for (const line of lines) {
      length += formatLine(line).length + 1
      if (length > maxLength) break
      fitting.push(line)
      if (line.isMatch) shownMatches++
    }
    if (fitting.length > 0) files.push({ path, lines: fitting })
    if (length > maxLength) break
  }
  const { matches, fileCount } = found
  return { matches, shownMatches, fileCount, files, searched }
}

export function formatSearchReport(report: SearchReport): string {
  const text = formatMatches(report)
  return report.note === null ? text : `${text}\n\n[${report.note}]`
}

function formatMatches(report: SearchReport): string {
  const { matches, shownMatches, fileCount, files, searched } = report
  if (matches === 0)
    return `No line matches in ${searched}. Binary, ignored and hidden files are not searched; to search hidden ones, pass include_hidden.`
  const blocks = files.map(({ path, lines }) => `${formatPath(path)}\n${formatLines(lines)}`)
  const counted = `${plural(matches, 'matching line')} in ${plural(fileCount, 'file')}`
  const note =
    shownMatches < matches
      ? `[The first ${shownMatches} of ${counted}. For others, pass a more specific pattern, path or globs.]`
      : `[${counted}]`
  return [...blocks, note].join('\n\n')
}

/** With `--` where lines are left out between two parts of a file. */
function formatLines(lines: readonly FoundLine[]): string {
  return lines
    .map((line, index) => {
      const before = lines[index - 1]
      const hasContext = lines.some(({ isMatch }) => !isMatch)
      const isApart = hasContext && before !== undefined && line.number > before.number + 1
      return `${isApart ? '--\n' : ''}${formatLine(line)}`
    })
    .join('\n')
}

function formatLine({ number, text, isMatch }: FoundLine): string {
  return `${number}${isMatch ? ':' : '-'} ${text}`
}

/** A name may contain line breaks. */
export function formatPath(path: string): string {
  return /[\n\r]/.test(path) ? JSON.stringify(path) : path
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
