import { styleText } from 'node:util'
import { canonicalJson, escapeInvisible } from '@curfew/core/internal'
import { type ChangedTool, pinnedPart } from '@curfew/mcp'
import { diffLines } from './diff-lines.ts'

/** How a tool's definition has changed, for people. Nothing in it can hide, or steer the terminal. */
export function showChange({ name, pinned, current }: ChangedTool): string {
  const lines = [styleText('bold', escapeInvisible(name))]
  for (const { kind, text } of diffLines(linesOf(pinned), linesOf(current))) {
    if (kind === 'added') lines.push(styleText('green', `+ ${text}`))
    else if (kind === 'removed') lines.push(styleText('red', `- ${text}`))
    else lines.push(kind === 'skipped' ? styleText('dim', '  ...') : `  ${text}`)
  }
  return `${lines.join('\n')}\n`
}

/** In an order that does not change. */
function linesOf(definition: ChangedTool['current']): string[] {
  return escapeInvisible(JSON.stringify(JSON.parse(canonicalJson(pinnedPart(definition))), null, 2)).split(
    '\n',
  )
}
