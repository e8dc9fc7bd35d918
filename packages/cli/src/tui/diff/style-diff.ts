import { expandTabs } from '../markdown/render-code.ts'
import type { Span } from '../spans/span.ts'
import type { Role } from '../theme/theme.ts'
import { changedPart } from './changed-part.ts'
import type { DiffLine } from './parse-diff.ts'

export interface StyledLine {
  readonly kind: DiffLine['kind']
  readonly spans: readonly Span[]
}

export const diffRoles: Readonly<Record<DiffLine['kind'], readonly Role[]>> = {
  added: ['added'],
  removed: ['removed'],
  same: [],
  note: ['muted'],
}

/** Adds colours, and emphasises the changed words where as many lines were added as removed. */
export function styleDiff(lines: readonly DiffLine[]): StyledLine[] {
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
