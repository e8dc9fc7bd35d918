import { escapeInvisible } from '@curfew/core/internal'
import { count } from '../../terminal.ts'
import { expandTabs } from '../markdown/render-code.ts'
import { indentedWidth } from '../markdown/render-context.ts'
import { breakSpans, type Line, paint, type Span, withPrefix, wrapSpans } from '../spans/wrap-spans.ts'
import type { Role, Theme } from '../theme/theme.ts'
import { type DiffLine, parseDiff } from './parse-diff.ts'

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

interface StyledLine {
  readonly kind: DiffLine['kind']
  readonly spans: readonly Span[]
}

const diffRoles: Readonly<Record<DiffLine['kind'], readonly Role[]>> = {
  added: ['added'],
  removed: ['removed'],
  same: [],
  note: ['muted'],
}

/** Adds colours, and emphasises the changed words where as many lines were added as removed. */
function styleDiff(lines: readonly DiffLine[]): StyledLine[] {
  const styled: StyledLine[] = []
  for (let start = 0; start < lines.length; ) {
    const removed = runLength(lines, start, 'removed')
    const added = runLength(lines, start + removed, 'added')
    const end = start + Math.max(1, removed + added)
    if (removed > 0 && removed === added) {
      const oldLines = lines.slice(start, start + removed)
      const pairs = oldLines.map(({ text }, index) => stylePair(text, lines[start + removed + index]!.text))
      styled.push(...pairs.map(([line]) => line), ...pairs.map(([, line]) => line))
    } else styled.push(...lines.slice(start, end).map(({ kind, text }) => styleLine(kind, expandTabs(text))))
    start = end
  }
  return styled
}

function runLength(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): number {
  let end = start
  while (lines[end]?.kind === kind) end++
  return end - start
}

function stylePair(oldText: string, newText: string): [StyledLine, StyledLine] {
  // Otherwise the lines would look the same.
  const show = expandTabs(oldText) === expandTabs(newText) ? showTabs : expandTabs
  const [before, after] = [show(oldText), show(newText)]
  const changed = changedPart(before, after)
  return [
    styleLine('removed', before, changed?.start, changed?.oldEnd),
    styleLine('added', after, changed?.start, changed?.newEnd),
  ]
}

function showTabs(text: string): string {
  return text.replaceAll('\t', '→   ')
}

/** With the part from `start` to `end` emphasised. Spaces at the end of a changed line are made visible. */
function styleLine(kind: DiffLine['kind'], text: string, start = 0, end = 0): StyledLine {
  const isChange = kind === 'added' || kind === 'removed'
  const textEnd = isChange ? text.trimEnd().length : text.length
  const from = Math.min(start, textEnd)
  const to = Math.max(from, Math.min(end, textEnd))
  const changed = text.slice(from, to)
  const parts: [string, readonly Role[]][] = [
    [text.slice(0, from), []],
    [changed, [changed.trim() === '' ? 'selected' : 'strong']],
    [text.slice(to, textEnd), []],
    [text.slice(textEnd), ['selected']],
  ]
  const spans = parts.map(([text, roles]) => ({ text, roles: [...diffRoles[kind], ...roles] }))
  return { kind, spans: spans.filter(({ text }) => text !== '') }
}

/** The part of a line that differs from the line that replaces it. */
interface ChangedPart {
  readonly start: number
  readonly oldEnd: number
  readonly newEnd: number
}

/** Below this share of equal characters, the lines have nothing to do with each other. */
const minShare = 0.4
const letter = /[\w\p{L}\p{M}\p{Cs}]/u

/** What is between the words that two lines have in common at their start and end; `undefined` if they differ too much. */
function changedPart(oldText: string, newText: string): ChangedPart | undefined {
  const length = Math.min(oldText.length, newText.length)
  let start = 0
  while (start < length && oldText[start] === newText[start]) start++
  while (start > 0 && (isInWord(oldText, start) || isInWord(newText, start))) start--
  let end = 0
  while (end < length - start && oldText.at(-1 - end) === newText.at(-1 - end)) end++
  while (end > 0 && (isInWord(oldText, oldText.length - end) || isInWord(newText, newText.length - end)))
    end--
  if (start + end < minShare * Math.max(oldText.length, newText.length)) return undefined
  return { start, oldEnd: oldText.length - end, newEnd: newText.length - end }
}

function isInWord(text: string, at: number): boolean {
  return letter.test(text[at - 1] ?? '') && letter.test(text[at] ?? '')
}
