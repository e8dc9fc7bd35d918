import { styleText } from 'node:util'
import { canonicalJson, escapeInvisible } from '@curfew/core/internal'
import { type ChangedTool, pinnedPart } from '@curfew/mcp'
import { structuredPatch } from 'diff'

/** Unchanged lines that are shown around a change. */
const context = 3
/** The time of a diff grows with the number of changed lines; beyond this, all lines are shown as changed. */
const maxChangedLines = 2_000

/** Formats how a tool's definition has changed, without invisible or control characters. */
export function showChange({ name, pinned, current }: ChangedTool): string {
  const lines = diffLines(toJson(pinned), toJson(current)).map((line) => {
    if (line.startsWith('+')) return styleText('green', line)
    if (line.startsWith('-')) return styleText('red', line)
    return line === skipped ? styleText('dim', line) : line
  })
  return `${[styleText('bold', escapeInvisible(name)), ...lines].join('\n')}\n`
}

const skipped = '  ...'

/** Lines that start with `+ `, `- ` or two spaces; unchanged parts are replaced by `...`. */
export function diffLines(before: string, after: string): readonly string[] {
  const options = { context, maxEditLength: maxChangedLines }
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', options)
  const prefixed = (prefix: string, text: string): string[] => text.split('\n').map((line) => prefix + line)
  if (patch === undefined) return [...prefixed('- ', before), ...prefixed('+ ', after)]
  const lines: string[] = []
  let shownUntil = 1
  for (const { oldStart, oldLines, lines: changed } of patch.hunks) {
    if (oldStart > shownUntil) lines.push(skipped)
    lines.push(...changed.map((line) => `${line[0]} ${line.slice(1)}`))
    shownUntil = oldStart + oldLines
  }
  return shownUntil <= before.split('\n').length ? [...lines, skipped] : lines
}

/** With sorted keys, so that only real changes differ. */
function toJson(definition: ChangedTool['current']): string {
  return escapeInvisible(JSON.stringify(JSON.parse(canonicalJson(pinnedPart(definition))), null, 2))
}
