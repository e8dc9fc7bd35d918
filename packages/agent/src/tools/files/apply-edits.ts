import { lineEndingOf, mainLineEnding, UnifiedText, withLineEnding } from './line-endings.ts'
import { describeNearMiss } from './near-miss.ts'

export interface TextEdit {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all: boolean
}

export type EditResult =
  | { readonly text: string; readonly replacements: number }
  /** Names the edit. */
  | { readonly problem: string }

/** How many lines are listed. */
const maxListed = 10

/** Applies the edits one after the other, all or none. Line endings make no difference, and those of the text are kept. */
export function applyEdits(text: string, edits: readonly TextEdit[]): EditResult {
  let edited = text
  let replacements = 0
  for (const [index, edit] of edits.entries()) {
    const result = applyEdit(edited, edit)
    if ('problem' in result) return { problem: `edits[${index}]: ${result.problem}` }
    edited = result.text
    replacements += result.replacements
  }
  return { text: edited, replacements }
}

function applyEdit(text: string, { old_string, new_string, replace_all }: TextEdit): EditResult {
  const unified = new UnifiedText(text)
  const wanted = withLineEnding(old_string, '\n')
  const inserted = withLineEnding(new_string, '\n')
  if (wanted === '')
    return { problem: 'old_string is empty; pass the text to replace, with its surroundings' }
  if (wanted === inserted) return { problem: 'old_string and new_string are the same' }
  const found = positionsOf(unified.text, wanted)
  if (found.length === 0) return { problem: describeNearMiss(unified.text, wanted) }
  if (found.length > 1 && !replace_all) {
    const lines = found.slice(0, maxListed).map((position) => lineAt(unified.text, position))
    const more = found.length > maxListed ? ', ...' : ''
    return {
      problem: `old_string occurs ${found.length} times, in lines ${lines.join(', ')}${more}; add surrounding lines so that it is unique, or pass replace_all: true`,
    }
  }
  return { text: replaceAt(text, unified, found, wanted.length, inserted), replacements: found.length }
}

/** From left to right, without overlaps. */
function positionsOf(text: string, wanted: string): readonly number[] {
  const found: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at)
  return found
}

function replaceAt(
  original: string,
  unified: UnifiedText,
  positions: readonly number[],
  length: number,
  inserted: string,
): string {
  const usual = mainLineEnding(original)
  const parts: string[] = []
  let end = 0
  for (const position of positions) {
    const start = unified.original(position)
    parts.push(original.slice(end, start))
    end = unified.original(position + length)
    const ending = lineEndingOf(original.slice(start, end)) ?? usual
    parts.push(withLineEnding(inserted, ending))
  }
  return parts.join('') + original.slice(end)
}

function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
