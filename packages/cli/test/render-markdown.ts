import { MarkdownStream } from '../src/tui/markdown/markdown-stream.ts'
import { renderBlock } from '../src/tui/markdown/render-block.ts'
import type { RenderOptions } from '../src/tui/markdown/render-context.ts'

/** Formats Markdown as styled lines of at most `width` columns, without control characters other than those of the styles. */
export function renderMarkdown(text: string, options: RenderOptions): string[] {
  const stream = new MarkdownStream()
  stream.push(text)
  stream.end()
  return stream.takeFinished().flatMap((block) => renderBlock(block, options))
}
