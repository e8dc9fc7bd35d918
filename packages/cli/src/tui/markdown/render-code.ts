import { breakSpans, type Line, type Span, withPrefix } from '../spans/wrap-spans.ts'
import { cleanText } from './clean-text.ts'
import { indentedWidth, type RenderContext } from './render-context.ts'

const tabWidth = 4
const indent = 2

/** Code, indented by two columns. Long lines continue below without a mark, so that they can be copied. */
export function renderCode(code: string, language: string, context: RenderContext): Line[] {
  const text = expandTabs(cleanText(code))
  const lines =
    highlightCode(text, language, context) ??
    text.split('\n').map((line): Span[] => (line === '' ? [] : [{ text: line, roles: [] }]))
  const width = indentedWidth(context.width, indent)
  const prefix = { text: ' '.repeat(context.width - width), roles: [] }
  return lines.flatMap((line) => breakSpans(line, width)).map((line) => withPrefix(prefix, line))
}

function highlightCode(
  code: string,
  language: string,
  { highlighter, isPending }: RenderContext,
): Span[][] | undefined {
  // The last line grows with each frame, and the lines before it are known from the last one.
  const end = isPending ? code.lastIndexOf('\n') : -1
  if (end < 0) return highlighter?.highlight(code, language)
  const before = highlighter?.highlight(code.slice(0, end), language)
  const last = highlighter?.highlight(code.slice(end + 1), language)
  return before && last && [...before, ...last]
}

/** Replaces tabs by spaces up to the next tab stop. */
export function expandTabs(text: string): string {
  if (!text.includes('\t')) return text
  return text
    .split('\n')
    .map((line) => {
      let expanded = ''
      for (const part of line.split(/(?<=\t)/)) {
        const content = part.replace('\t', '')
        expanded += content
        if (part !== content) expanded += ' '.repeat(tabWidth - (expanded.length % tabWidth))
      }
      return expanded
    })
    .join('\n')
}
