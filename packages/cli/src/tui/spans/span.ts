import { widthOf } from '../../text-width.ts'
import type { Role, Theme } from '../theme/theme.ts'

/** A string without control characters, and the roles that style it, the outermost first. */
export interface Span {
  readonly text: string
  readonly roles: readonly Role[]
}

/** The spans of one line on the screen. */
export type Line = readonly Span[]

/** Adds the styles. Each style is closed where its span ends, so that a line can be printed on its own. */
export function paint(line: Line, theme: Theme): string {
  let painted = ''
  for (let index = 0; index < line.length; ) {
    const { roles } = line[index]!
    let text = ''
    while (index < line.length && haveSameRoles(line[index]!.roles, roles)) text += line[index++]!.text
    painted += roles.reduceRight((styled, role) => theme[role](styled), text)
  }
  return painted
}

/** Puts `prefix` before a line; an empty line gets no spaces at its end. */
export function withPrefix(prefix: Span, line: Line): Line {
  if (line.length > 0) return [prefix, ...line]
  const text = prefix.text.trimEnd()
  return text === '' ? [] : [{ ...prefix, text }]
}

export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + widthOf(text), 0)
}

function haveSameRoles(a: readonly Role[], b: readonly Role[]): boolean {
  return a === b || (a.length === b.length && a.every((role, index) => role === b[index]))
}
