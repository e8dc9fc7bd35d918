import { formatSize } from './format-size.ts'

/** The time of a diff grows with the number of changed lines. */
const maxChangedLines = 2_000
/** Of both texts together; a person would not read more. */
const maxLength = 2_000_000

/** A unified diff of a file, for the person who is asked to approve a change. */
export async function showDiff(shownPath: string, before: string | null, after: string): Promise<string> {
  if ((before?.length ?? 0) + after.length > maxLength) return summary(shownPath, before, after)
  // Loaded only when somebody is asked.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const [oldName, newName] = [before === null ? '/dev/null' : `a/${shownPath}`, `b/${shownPath}`]
  const options = { context: 3, maxEditLength: maxChangedLines, headerOptions: FILE_HEADERS_ONLY }
  const patch = createTwoFilesPatch(oldName, newName, before ?? '', after, undefined, undefined, options)
  return patch ?? `${summary(shownPath, before, after)}\n${after}`
}

function summary(shownPath: string, before: string | null, after: string): string {
  const size = formatSize(Buffer.byteLength(after))
  if (before === null) return `Creates ${shownPath}, ${size}`
  return `Replaces the content of ${shownPath}: ${formatSize(Buffer.byteLength(before))} before, ${size} after; most lines differ`
}
