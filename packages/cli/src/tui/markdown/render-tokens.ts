import type { Token, Tokens } from 'marked'
import { breakSpans, type Line, type Span, withPrefix, wrapSpans } from '../spans/wrap-spans.ts'
import type { Role } from '../theme/theme.ts'
import { cleanText } from './clean-text.ts'
import { inlineSpans } from './inline-spans.ts'
import { expandTabs, renderCode } from './render-code.ts'
import { indentedWidth, type RenderContext } from './render-context.ts'
import { renderTable } from './render-table.ts'

/** Stands for the start of a list item or paragraph that has been rendered already. Text never contains it: it is a control character. */
export const continuationMark = '\u0001'

/** Renders blocks with the empty lines that the source has, and, outside of lists, with others around code and above headings. */
export function renderTokens(tokens: readonly Token[], context: RenderContext): Line[] {
  const lines: Line[] = []
  let previous: Token | undefined
  let isSpaced = false
  for (const token of tokens) {
    if (token.type === 'space') {
      // A single line break is the end of the line before.
      isSpaced = token.raw.indexOf('\n') !== token.raw.lastIndexOf('\n')
      continue
    }
    const rendered = renderToken(token as Tokens.Generic, context)
    if (rendered.length === 0) continue
    const isSeparate =
      isSpaced || (context.depth === 0 && previous && needsGap(kindOf(previous), kindOf(token)))
    if (previous !== undefined && isSeparate) lines.push([])
    lines.push(...rendered)
    previous = token
    isSpaced = false
  }
  return lines
}

export type BlockKind = 'heading' | 'code' | 'other'

/** An empty line is needed between two blocks, even if the source has none. */
export function needsGap(previous: BlockKind, next: BlockKind): boolean {
  return previous === 'code' || next !== 'other'
}

export function kindOf(token: Token): BlockKind {
  if (token.type === 'code') return 'code'
  return token.type === 'heading' && /^ {0,3}#/.test(token.raw) ? 'heading' : 'other'
}

function renderToken(token: Tokens.Generic, context: RenderContext): Line[] {
  switch (token.type) {
    case 'heading':
      return renderHeading(token as Tokens.Heading, context)
    case 'code':
      return renderCodeToken(token as Tokens.Code, context)
    case 'blockquote':
      return renderQuote(token as Tokens.Blockquote, context)
    case 'list':
      return renderList(token as Tokens.List, context)
    case 'table':
      return renderTable(token as Tokens.Table, context)
    case 'hr':
      return [[{ text: '─'.repeat(Math.min(context.width, maxRuleWidth)), roles: ['muted'] }]]
    case 'html':
      return wrapSpans([{ text: expandTabs(cleanText(token.text)), roles: [] }], context.width)
    case 'checkbox':
      return []
    default:
      return wrapSpans(
        inlineSpans(token.tokens ?? [{ ...token, type: 'text' }], context.isPlain),
        context.width,
      )
  }
}

const maxRuleWidth = 80

function renderHeading({ tokens, depth }: Tokens.Heading, { width, isPlain }: RenderContext): Line[] {
  const role: Role = depth <= 2 ? 'heading' : 'strong'
  const mark: Span[] = isPlain ? [{ text: `${'#'.repeat(depth)} `, roles: [] }] : []
  return wrapSpans([...mark, ...inlineSpans(tokens, isPlain, [role])], width)
}

function renderCodeToken({ text, lang = '', codeBlockStyle }: Tokens.Code, context: RenderContext): Line[] {
  const code = codeBlockStyle === 'indented' ? text.trimEnd() : text
  return renderCode(code, /^\S*/.exec(lang)![0].toLowerCase(), context)
}

function renderQuote({ tokens }: Tokens.Blockquote, context: RenderContext): Line[] {
  const width = indentedWidth(context.width, 2)
  const lines = tokens.length === 0 ? [[]] : renderTokens(tokens, { ...context, width })
  const bar: Span = { text: '│ ', roles: ['muted'] }
  return width === context.width ? lines : lines.map((line) => withPrefix(bar, line))
}

/** With empty lines between items where the source has them. */
function renderList({ items, ordered, start }: Tokens.List, context: RenderContext): Line[] {
  return items.flatMap((item, index) => {
    const isSpaced = index > 0 && /\n[ \t]*\n[ \t]*$/.test(items[index - 1]!.raw)
    const marker = ordered
      ? `${Number(start) + index}${/^ *\d+([.)])/.exec(item.raw)?.[1] ?? '.'}`
      : ['•', '◦', '-'][Math.min(context.depth, 2)]!
    const lines = renderItem(item, marker, { ...context, depth: context.depth + 1 })
    return isSpaced ? [[], ...lines] : lines
  })
}

function trimEnd(lead: readonly Span[]): Line {
  const last = lead.at(-1)!
  return [...lead.slice(0, -1), { ...last, text: last.text.trimEnd() }]
}

function renderItem(item: Tokens.ListItem, marker: string, context: RenderContext): Line[] {
  const checkbox: Span[] = item.task
    ? [{ text: item.checked ? '[x] ' : '[ ] ', roles: [item.checked ? 'success' : 'muted'] }]
    : []
  const lead: Span[] = [{ text: `${marker} `, roles: ['accent'] }, ...checkbox]
  const indent = lead.reduce((width, { text }) => width + text.length, 0)
  const width = indentedWidth(context.width, indent)
  const [first, ...rest] = item.tokens
  const isContinued = first?.raw.trimEnd() === continuationMark
  const tokens = isContinued
    ? rest.filter((token, index) => index > 0 || token.type !== 'space')
    : item.tokens
  const lines = renderTokens(tokens, { ...context, width })
  const space = { text: ' '.repeat(context.width - width), roles: [] }
  if (isContinued) return lines.map((line) => withPrefix(space, line))
  if (width === context.width) return [...breakSpans(lead, width), ...lines]
  const [start = []] = lines
  return [
    start.length > 0 ? [...lead, ...start] : trimEnd(lead),
    ...lines.slice(1).map((line) => withPrefix(space, line)),
  ]
}
