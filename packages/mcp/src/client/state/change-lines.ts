import { canonicalJson, escapeInvisible } from '@curfew/core/internal'
import type { ChangedTool } from './server-state.ts'

/** Unchanged lines that are shown around a change. */
const context = 3
/** The time of a diff grows with the number of changed lines; beyond this, all lines are shown as changed. */
const maxChangedLines = 2_000

/** Stands for unchanged lines. */
const skippedLines = '  ...'

/**
 * How a tool's definition has changed, for people: lines that start with `+ `, `- ` or two spaces, without invisible or control
 * characters.
 */
export async function changeLines({ pinned, current }: ChangedTool): Promise<readonly string[]> {
  return await diffLines(toJson(pinned), toJson(current))
}

/** Unchanged parts are replaced by `...`. */
export async function diffLines(before: string, after: string): Promise<readonly string[]> {
  // On demand, because hardly any process needs it.
  const { structuredPatch } = await import('diff')
  const options = { context, maxEditLength: maxChangedLines }
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', options)
  const prefixed = (prefix: string, text: string): string[] => text.split('\n').map((line) => prefix + line)
  if (patch === undefined) return [...prefixed('- ', before), ...prefixed('+ ', after)]
  const lines: string[] = []
  let shownUntil = 1
  for (const { oldStart, oldLines, lines: changed } of patch.hunks) {
    if (oldStart > shownUntil) lines.push(skippedLines)
    lines.push(...changed.map((line) => `${line[0]} ${line.slice(1)}`))
    shownUntil = oldStart + oldLines
  }
  return shownUntil <= before.split('\n').length ? [...lines, skippedLines] : lines
}

/** With sorted keys, so that only real changes differ. Everything is shown, because everything is used once it is approved. */
function toJson(definition: ChangedTool['current']): string {
  return escapeInvisible(JSON.stringify(JSON.parse(canonicalJson(definition)), null, 2))
}
