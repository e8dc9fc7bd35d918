import { capText, nameOfPart } from '@curfew/core/internal'
import type { HistoryItem, HistoryResult, ResultsItem } from '../history/history-item.ts'
import { estimateResult } from './estimate-tokens.ts'
import type { ResultSaver } from './result-saver.ts'

/** In characters: the beginning and the end of a result that was shortened. */
const previewLength = 1_000
/** Shorter results stay: little would be gained. */
const minLength = 2 * previewLength

/**
 * Shortens results, oldest first, until enough tokens are free. Returns the changed items. A shortened result has the beginning and the
 * end of its text and names the file with all of it; images and files become a line.
 */
export async function shortenResults(
  items: readonly HistoryItem[],
  tokensToFree: number,
  save: ResultSaver['save'],
): Promise<ResultsItem[]> {
  const changed: ResultsItem[] = []
  let freed = 0
  for (const item of items) {
    if (item.type !== 'results') continue
    const results: HistoryResult[] = []
    for (const result of item.results) {
      const shortened = freed < tokensToFree && canShorten(result) ? await shorten(result, save) : result
      freed += estimateResult(result) - estimateResult(shortened)
      results.push(shortened)
    }
    if (results.some((result, index) => result !== item.results[index])) changed.push({ ...item, results })
  }
  return changed
}

function canShorten({ content, parts = [] }: HistoryResult): boolean {
  return content.length > minLength || parts.some((part) => part.type !== 'text' && part.data !== undefined)
}

const filesNote = '[files of old results are removed from the conversation]'

async function shorten(result: HistoryResult, save: ResultSaver['save']): Promise<HistoryResult> {
  const { parts = [], loaded: _, ...rest } = result
  const names = parts.flatMap((part) => (part.type === 'text' ? [] : [nameOfPart(part)]))
  // Most results name their files already.
  const missing = names.filter((name) => !result.content.includes(name))
  const lines = names.length === 0 ? '' : ['', ...missing, filesNote].join('\n')
  if (result.content.length + lines.length <= minLength) return { ...rest, content: result.content + lines }
  const path = await save(result)
  const where = path === null ? '; they could not be saved' : `; the complete result is in ${path}`
  const limit = previewLength + where.length
  const content = capText(result.content, limit, where) + capText(lines, previewLength / 2)
  // It was shortened before, and its path is long.
  if (parts.length === 0 && content.length >= result.content.length) return result
  return { ...rest, content, ...(path !== null && { spillPath: path }) }
}
