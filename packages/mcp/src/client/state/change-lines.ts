import { canonicalJson, escapeInvisible } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'
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
export async function changeLines(change: ChangedTool): Promise<readonly string[]> {
  if (isCosmetic(change)) return ['  (only spaces and line breaks differ)']
  return await diffLines(toJson(change.pinned), toJson(change.current))
}

/** The definition of a new tool in the same form. */
export function newLines(definition: ToolDefinition): readonly string[] {
  return toJson(definition)
    .split('\n')
    .map((line) => `+ ${line}`)
}

/** True if the user would see no difference. */
export function isCosmetic({ pinned, current }: ChangedTool): boolean {
  return toJson(pinned) === toJson(current)
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

/**
 * With sorted keys, and single spaces in texts for a model, so that only real changes differ and padding hides nothing. Everything is shown,
 * because everything is used once it is approved.
 */
function toJson(definition: ToolDefinition): string {
  const fold = (key: string, value: unknown): unknown =>
    typeof value === 'string' && (key === 'description' || key === 'title')
      ? value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')
      : value
  return escapeInvisible(JSON.stringify(JSON.parse(canonicalJson(definition)), fold, 2))
}
