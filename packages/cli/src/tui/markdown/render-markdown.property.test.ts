import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { renderMarkdown } from '../../../test/render-markdown.ts'
import { widthOf } from '../../text-width.ts'
import { createTheme, themeNames } from '../theme/theme.ts'
import { loadHighlighter } from './load-highlighter.ts'

const highlighter = await loadHighlighter()

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '\n',
        ' ',
        '    ',
        '\t',
        '- ',
        '1. ',
        '> ',
        '```',
        '~',
        '#',
        '|',
        '|-|',
        '-',
        '*',
        '_',
        '`',
        '[',
        '](',
        ')',
        '<',
        '>',
        '&#27;',
        '&',
        '\\',
        '!',
        'a',
        'word',
        '漢',
        '👨‍👩‍👧',
        '\u0301',
        '\u001b[1m',
        '\u202e',
        '\ud800',
        'http://a',
        '\r',
        '\u2028',
        '\u0001',
        '9999999999.',
        '[x] ',
        '\n\n| a | b |\n|-|-|\n| word word | 漢字 |\n',
        '\n> - > 10. | a | b | c |\n>   >     |-|-|-|\n>   >     | wordwordword | x<br>y | `z` |\n',
        'x'.repeat(200),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join('')),
)

test('any text: no line is too wide, and there are no control characters except styles', () => {
  fc.assert(
    fc.property(
      hostile,
      fc.integer({ min: 10, max: 60 }),
      fc.constantFrom(...themeNames),
      (text, width, name) => {
        for (const line of renderMarkdown(text, { width, theme: createTheme(name), highlighter })) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what styles consist of
          const visible = line.replaceAll(/\u001b\[[\d;]+m/g, '')
          expect(visible).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Cs}\u2028\u2029]/u)
          expect(widthOf(visible)).toBeLessThanOrEqual(width)
          if (name === 'plain') expect(line).toBe(visible)
        }
      },
    ),
    { numRuns: scaled(1_000) },
  )
})
