import { styleText } from 'node:util'
import type { Grade, Severity } from '@curfew/review'
import { oneLine, widthOf, wrap } from '../terminal.ts'
import { foldLine } from '../tui/questions/fold-line.ts'

export interface TextOptions {
  readonly width: number
  readonly colours: boolean
  /** Shorten nothing. */
  readonly all: boolean
  /** Show notes. */
  readonly strict: boolean
}

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
export type Paint = (style: Style | Style[], text: string) => string

export const severityStyles: Readonly<Record<Severity, Style>> = {
  error: 'red',
  warning: 'yellow',
  note: 'cyan',
}
export const gradeStyles: Readonly<Record<Grade, Style>> = { A: 'green', B: 'green', C: 'yellow', D: 'red' }

export function painter({ colours }: TextOptions): Paint {
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text)
}

const defaultLines = 4

/** Wraps a string from a definition; without `--all`, a long one is shortened to `maxLines`. */
export function body(
  text: string,
  { width, all }: TextOptions,
  first: string,
  rest: string,
  maxLines: number = defaultLines,
): string[] {
  const maxLength = all ? 2_000 : maxLines * width
  const line = oneLine(text.slice(0, 4 * maxLength))
  const lines = wrapLines(line.length > maxLength ? `${line.slice(0, maxLength)}…` : line, width, first, rest)
  if (all || lines.length <= maxLines) return lines
  const kept = lines.slice(0, maxLines)
  const last = kept.pop()!
  return [...kept, widthOf(last) < width ? `${last}…` : `${last.slice(0, -1)}…`]
}

/** Wraps a string to lines of at most `width` columns, breaking longer words; the first line starts with `first`, the others with `rest`. */
export function wrapLines(text: string, width: number, first: string, rest: string): string[] {
  const columns = width - Math.max(first.length, rest.length)
  const words = text.split(' ').flatMap((word) => foldLine(word, columns))
  return wrap(words.join(' '), columns).map((line, index) => (index === 0 ? first : rest) + line)
}
