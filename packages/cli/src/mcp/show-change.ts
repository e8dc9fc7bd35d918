import { styleText } from 'node:util'
import { canonicalJson } from '@curfew/core/adapter'
import { type ChangedTool, pinnedPart } from '@curfew/mcp'
import { diffLines } from './diff-lines.ts'

/** How a tool's definition has changed, for people. Nothing in it can hide, or steer the terminal. */
export function showChange({ name, pinned, current }: ChangedTool): string {
  const lines = [styleText('bold', visible(name))]
  for (const { kind, text } of diffLines(linesOf(pinned), linesOf(current))) {
    if (kind === 'added') lines.push(styleText('green', `+ ${text}`))
    else if (kind === 'removed') lines.push(styleText('red', `- ${text}`))
    else lines.push(kind === 'skipped' ? styleText('dim', '  ...') : `  ${text}`)
  }
  return `${lines.join('\n')}\n`
}

/** In an order that does not change. */
function linesOf(definition: ChangedTool['current']): string[] {
  return visible(JSON.stringify(JSON.parse(canonicalJson(pinnedPart(definition))), null, 2)).split('\n')
}

/** Control characters, and what takes no space on a screen: a text for a model could hide in them. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

function visible(text: string): string {
  return text.replace(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
