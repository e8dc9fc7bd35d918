import { type Line, paint, wrapSpans } from '../spans/wrap-spans.ts'
import { cleanText } from './clean-text.ts'
import type { MarkdownBlock } from './markdown-block.ts'
import { expandTabs } from './render-code.ts'
import type { RenderContext, RenderOptions } from './render-context.ts'
import { renderTokens } from './render-tokens.ts'
import { parseBlock } from './safe-lexer.ts'

/** Formats a block as styled lines, of which the first is empty if the block needs a distance to the one before. */
export function renderBlock(block: MarkdownBlock, { width, theme, highlighter }: RenderOptions): string[] {
  const context: RenderContext = {
    width: Math.max(width, 4),
    isPlain: theme.name === 'plain',
    isPending: block.isPending ?? false,
    highlighter,
    depth: 0,
  }
  const lines = blockLines(block, context).map((line) => paint(line, theme))
  return block.hasGap && lines.length > 0 ? ['', ...lines] : lines
}

function blockLines({ source, number }: MarkdownBlock, context: RenderContext): Line[] {
  try {
    const tokens = parseBlock(source)
    const [first] = tokens
    // The items of a list are separate blocks.
    if (number !== undefined && first?.type === 'list') first.start = number
    return renderTokens(tokens, context)
  } catch {
    // A fault of the parser must not hide the text.
    return wrapSpans([{ text: expandTabs(cleanText(source)), roles: [] }], context.width)
  }
}
