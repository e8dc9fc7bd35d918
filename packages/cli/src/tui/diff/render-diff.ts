import { escapeInvisible } from '@curfew/core/internal'
import { count } from '../../terminal.ts'
import { expandTabs } from '../markdown/render-code.ts'
import { indentedWidth } from '../markdown/render-context.ts'
import { type Line, paint, type Span, withPrefix } from '../spans/span.ts'
import { breakSpans, wrapSpans } from '../spans/wrap-spans.ts'
import type { Theme } from '../theme/theme.ts'
import { parseDiff } from './parse-diff.ts'
import { diffRoles, type StyledLine, styleDiff } from './style-diff.ts'

export interface DiffOptions {
  readonly width: number
  readonly theme: Theme
  /** The last of them tells how many more there are. */
  readonly maxLines?: number
}

/**
 * Formats the preview of a call for the person who decides about it: a unified diff with colours, anything else as text. Invisible
 * characters are escaped.
 */
export function renderDiff(preview: string, { width, theme, maxLines }: DiffOptions): string[] {
  const source = preview.replace(/\n$/, '').split('\n').map(escapeExceptTabs)
  const parsed = parseDiff(source)
  const lines =
    parsed === undefined
      ? source.flatMap((line) => wrapSpans([{ text: expandTabs(line), roles: [] }], width))
      : styleDiff(parsed).flatMap((line) => renderLine(line, width))
  if (maxLines === undefined || lines.length <= maxLines) return lines.map((line) => paint(line, theme))
  const shown = lines.slice(0, Math.max(0, maxLines - 1))
  const rest: Span = { text: `… ${count(lines.length - shown.length, 'more line')}`, roles: ['muted'] }
  return [...shown, ...wrapSpans([rest], width).slice(0, 1)].map((line) => paint(line, theme))
}

/** Line breaks are part of the diff, and code is indented with tabs. */
function escapeExceptTabs(line: string): string {
  return line.split('\t').map(escapeInvisible).join('\t')
}

/** Without it, the rest of a long line would look like a line of its own where there are no colours. */
const continued: Span = { text: '↳ ', roles: ['muted'] }
const signs = { added: '+ ', removed: '- ', same: '  ', note: '' }

function renderLine({ kind, spans }: StyledLine, width: number): Line[] {
  const textWidth = indentedWidth(width, signs[kind].length)
  const sign: Span = { text: signs[kind], roles: diffRoles[kind] }
  if (textWidth === width) return breakSpans([sign, ...spans], width)
  return breakSpans(spans, textWidth).map((line, index) => withPrefix(index === 0 ? sign : continued, line))
}
