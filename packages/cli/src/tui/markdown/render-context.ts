import type { Theme } from '../theme/theme.ts'
import type { Highlighter } from './load-highlighter.ts'

export interface RenderOptions {
  /** The columns of a line; at least 10 for lines that fit. */
  readonly width: number
  readonly theme: Theme
  /** From `loadHighlighter`. Without it, code has no colours. */
  readonly highlighter?: Highlighter | undefined
}

export interface RenderContext {
  readonly width: number
  /** Nothing is styled, so marks such as backticks are kept. */
  readonly isPlain: boolean
  readonly highlighter: Highlighter | undefined
  /** More text will follow. */
  readonly isPending: boolean
  /** How many lists the text is in. */
  readonly depth: number
}

/** Narrower text would be unreadable. */
const minWidth = 8

/** The width inside of an indentation; all of it if there is not enough room. */
export function indentedWidth(width: number, indent: number): number {
  return width - indent >= minWidth ? width - indent : width
}
