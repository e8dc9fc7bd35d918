import { expect, test } from 'vitest'
import { createTheme } from '../theme/theme.ts'
import { breakSpans, type Line, paint, type Span, wrapSpans } from './wrap-spans.ts'

function text(text: string, ...roles: Span['roles']): Span {
  return { text, roles }
}

function show(lines: readonly Line[]): string[] {
  return lines.map((line) => paint(line, createTheme('plain')))
}

test('a word may consist of several spans', () => {
  const spans = [text('one tw'), text('o', 'strong'), text('three four')]
  expect(show(wrapSpans(spans, 9))).toEqual(['one', 'twothree', 'four'])
})

test('spaces at a break are dropped, others are kept', () => {
  expect(show(wrapSpans([text('  a  b   c')], 6))).toEqual(['  a  b', 'c'])
  expect(show(wrapSpans([text('a \n  b')], 6))).toEqual(['a', '  b'])
})

test('no text is one empty line', () => {
  expect(wrapSpans([], 10)).toEqual([[]])
  expect(breakSpans([], 10)).toEqual([[]])
})

test('breakSpans keeps all characters', () => {
  expect(show(breakSpans([text('ab  cd'), text('漢字e', 'strong')], 5))).toEqual(['ab  c', 'd漢字', 'e'])
})

test('a wide character is not split at the end of a line', () => {
  expect(show(wrapSpans([text('漢字漢字')], 5))).toEqual(['漢字', '漢字'])
})

test('each line has its own styles', () => {
  const painted = wrapSpans([text('aa bb', 'strong', 'emphasis')], 2).map((line) =>
    paint(line, createTheme('none')),
  )
  expect(painted).toEqual([
    '\u001b[1m\u001b[3maa\u001b[23m\u001b[22m',
    '\u001b[1m\u001b[3mbb\u001b[23m\u001b[22m',
  ])
})
