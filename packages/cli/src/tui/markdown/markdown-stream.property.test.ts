import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { renderMarkdown } from '../../../test/render-markdown.ts'
import { paint } from '../spans/wrap-spans.ts'
import { createTheme } from '../theme/theme.ts'
import { cleanText } from './clean-text.ts'
import { MarkdownStream } from './markdown-stream.ts'
import { renderBlock } from './render-block.ts'
import { renderTokens } from './render-tokens.ts'
import { parseBlock } from './safe-lexer.ts'

const theme = createTheme('none')
const options = { width: 40, theme }

/** What marked makes of the whole text, without splitting it first. */
function renderWhole(text: string): string[] {
  const context = { width: options.width, isPlain: false, isPending: false, highlighter: undefined, depth: 0 }
  return renderTokens(parseBlock(cleanText(text)), context).map((line) => paint(line, theme))
}

function streamLines(pieces: readonly string[]): string[] {
  const stream = new MarkdownStream()
  const lines: string[] = []
  for (const piece of pieces) {
    stream.push(piece)
    for (const block of stream.takeFinished()) lines.push(...renderBlock(block, options))
  }
  stream.end()
  for (const block of stream.takeFinished()) lines.push(...renderBlock(block, options))
  return lines
}

const word = fc.constantFrom(
  'alpha',
  'beta',
  '**bold**',
  '`code`',
  '*it*',
  'e.g.',
  '[link](http://x.y)',
  '漢字',
  '🎉',
  '1.',
  'a_b',
  '~~no~~',
  '<b>',
  '|',
  '#',
  '-',
  '2)',
)
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => `x ${words.join(' ')}`)
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))
const codeLine = fc.constantFrom(
  'const a = 1',
  '',
  '  indented',
  '# no heading',
  '- no item',
  '> no quote',
  '| a |',
  '``',
)
const fence = fc
  .tuple(
    fc.constantFrom('```', '~~~', '````'),
    fc.constantFrom('', 'ts', 'unknown lang'),
    fc.array(codeLine, { maxLength: 6 }),
    fc.boolean(),
  )
  .map(([mark, language, lines, isTight]) =>
    [`${mark}${language}`, ...lines, mark, ...(isTight ? [] : [''])].join('\n'),
  )
const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), sentence)
  .map(([depth, text]) => `${'#'.repeat(depth)} ${text}`)
const underlined = fc
  .tuple(paragraph, fc.constantFrom('===', '---'))
  .map(([text, line]) => `${text}\n${line}`)
const table = fc
  .array(fc.tuple(sentence, sentence), { minLength: 1, maxLength: 4 })
  .map((rows) => ['| a | b |', '|---|--:|', ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join('\n'))
const indented = fc
  .array(fc.constantFrom('    code', '', '      more'), { minLength: 1, maxLength: 4 })
  .map((lines) => `    first\n${lines.join('\n')}`)
const html = fc.constantFrom(
  '<div>\n<p>text</p>\n</div>',
  '<!-- comment -->',
  '<custom-tag>',
  '[1]: http://a\n[2]: http://b',
)
const { list, quote } = fc.letrec<{ list: string; item: string; quote: string; content: string }>((tie) => ({
  content: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    paragraph,
    fence,
    tie('list'),
    fc.tuple(sentence, tie('list')).map((parts) => parts.join('\n')),
    fc.tuple(paragraph, paragraph).map((parts) => parts.join('\n\n')),
    fc.tuple(paragraph, fence).map((parts) => parts.join('\n\n')),
    tie('quote'),
  ),
  item: tie('content'),
  list: fc
    .tuple(
      fc.constantFrom('-', '*', '1.', '1)', ' -', '   1.'),
      fc.array(tie('item'), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('\n', '\n\n'),
      fc.constantFrom(' ', '  '),
    )
    .map(([marker, items, separator, space]) =>
      items
        .map(
          (item) =>
            marker + space + item.replaceAll(/\n(?!\n|$)/g, `\n${' '.repeat(marker.length + space.length)}`),
        )
        .join(separator),
    ),
  quote: tie('content').map((text) =>
    text
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n'),
  ),
}))
const block = fc.oneof(
  paragraph,
  paragraph,
  list,
  list,
  fence,
  heading,
  underlined,
  table,
  indented,
  html,
  // marked continues lists in quotes even after an empty line.
  quote.map((text) => `${text}\n`),
  fc.constantFrom('---', '***', '* * *'),
)
const text = fc
  .array(fc.tuple(block, fc.constantFrom('\n', '\n\n', '\n\n', '\n\n', '\n\n\n', '\n \n')), { maxLength: 8 })
  .map((parts) => parts.flat().join(''))

function cutAt(text: string, positions: readonly number[]): string[] {
  const cuts = [...new Set(positions.map((position) => position % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...cuts].map((start, index) => text.slice(start, cuts[index] ?? text.length))
}

test('blocks that are rendered one by one look like the whole text, wherever it is cut', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 30 }), (text, positions) => {
      const lines = streamLines(cutAt(text, positions))
      expect(lines).toEqual(renderMarkdown(text, options))
      // Longer items of lists are split.
      if (text.split('\n').length < 48) expect(lines).toEqual(renderWhole(text))
    }),
    { numRuns: scaled(200) },
  )
})

test('the pieces do not matter for any text', () => {
  const part = fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    ' ',
    '    ',
    '\t',
    '- ',
    '1. ',
    '> ',
    '```',
    '~~~',
    '#',
    '|',
    '|-|',
    '---',
    '===',
    'a',
    '<div>',
    '[a]: b',
    '\u001b[1m',
    '🎉',
    '\ud83c',
    '\u2028',
    'x'.repeat(5_000),
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 40 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      (parts, positions) => {
        const text = parts.join('')
        expect(streamLines(cutAt(text, positions))).toEqual(renderMarkdown(text, options))
      },
    ),
    { numRuns: scaled(300) },
  )
})

test('what is finished and what is pending together look like the text so far', () => {
  // The start of a line that is nothing yet is not shown.
  const unclear = /(?:^|\n)[-=*+_~`#>|: \d.)]*$/
  fc.assert(
    fc.property(text, fc.nat(), (text, position) => {
      const start = text.slice(0, position % (text.length + 1)).replace(/[\ud800-\udbff]$/, '')
      fc.pre(!unclear.test(start))
      const stream = new MarkdownStream()
      stream.push(start)
      const blocks = [...stream.takeFinished(), ...(stream.pending === undefined ? [] : [stream.pending])]
      expect(blocks.flatMap((block) => renderBlock(block, options))).toEqual(renderMarkdown(start, options))
    }),
    { numRuns: scaled(200) },
  )
})
