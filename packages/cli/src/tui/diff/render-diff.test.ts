import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widthOf } from '../../text-width.ts'
import { createTheme, themeNames } from '../theme/theme.ts'
import { renderDiff } from './render-diff.ts'

function patch(before: string, after: string): string {
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY }
  return createTwoFilesPatch('a/file', 'b/file', before, after, undefined, undefined, options)
}

function render(preview: string, width = 40, maxLines?: number): string[] {
  const theme = createTheme('plain')
  return renderDiff(preview, { width, theme, ...(maxLines === undefined ? {} : { maxLines }) })
}

/** Shows styles as `{38;5;203}removed{39}`. */
function renderStyled(preview: string): string[] {
  return renderDiff(preview, { width: 60, theme: createTheme('dark') }).map((line) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what styles consist of
    line.replaceAll(/\u001b\[([\d;]+)m/g, '{$1}'),
  )
}

test('a diff has signs, and headers that stand back', () => {
  expect(renderStyled(patch('same\nold\n', 'same\nbrandnew\n'))).toEqual([
    '{38;5;247}--- a/file{39}',
    '{38;5;247}+++ b/file{39}',
    '{38;5;247}@@ -1,2 +1,2 @@{39}',
    '  same',
    '{38;5;203}- old{39}',
    '{38;5;114}+ brandnew{39}',
  ])
})

test('changed words are emphasised', () => {
  expect(renderStyled(patch('const limit = 100 // max\n', 'const limit = 250 // max\n')).slice(3)).toEqual([
    '{38;5;203}- const limit = {39}{38;5;203}{1}100{22}{39}{38;5;203} // max{39}',
    '{38;5;114}+ const limit = {39}{38;5;114}{1}250{22}{39}{38;5;114} // max{39}',
  ])
})

test('changes of white space are visible', () => {
  expect(renderStyled(patch('a word\n', 'a word  \n')).slice(3)).toEqual([
    '{38;5;203}- a word{39}',
    '{38;5;114}+ a word{39}{38;5;114}{7}  {27}{39}',
  ])
  expect(render(patch('\tcall()\n', '    call()\n')).slice(3)).toEqual(['- →   call()', '+     call()'])
})

test('lines of the file cannot pass for headers', () => {
  const [, , , ...lines] = render(patch('-- a/other\nx\n', '++ b/other\nx\n@@ -1 +1 @@\n'))
  expect(lines).toEqual(['- -- a/other', '+ ++ b/other', '  x', '+ @@ -1 +1 @@'])
})

test('the rest of a long line is marked', () => {
  expect(render(patch('', '0123456789abcdef\n'), 12).slice(-2)).toEqual(['+ 0123456789', '↳ abcdef'])
})

test('a file without a line break at its end', () => {
  expect(render(patch('a\n', 'a')).slice(3)).toEqual(['- a', '+ a', '\\ No newline at end of file'])
})

test('invisible characters are escaped', () => {
  expect(render(patch('', 'rm \u202etxt\u200b\u001b[2K\ud800\r\n'), 60).slice(3)).toEqual([
    '+ rm \\u202etxt\\u200b\\u001b[2K\\ud800\\u000d',
  ])
  expect(render('Creates \u202efile\nwith\ttab')).toEqual(['Creates \\u202efile', 'with    tab'])
})

test('the end of a long diff is replaced by the number of its lines', () => {
  const preview = patch('', 'line\n'.repeat(100))
  expect(render(preview, 40, 5)).toEqual([
    '--- a/file',
    '+++ b/file',
    '@@ -0,0 +1,100 @@',
    '+ line',
    '… 99 more lines',
  ])
  expect(render(preview, 40, 103)).toHaveLength(103)
  expect(render('a\nb\nc', 40, 2)).toEqual(['a', '… 2 more lines'])
})

test('a diff whose middle was omitted keeps its colours', () => {
  const whole = patch('old\n'.repeat(50), 'new\n'.repeat(50))
  const cut = `${whole.slice(0, 120)}\n[... 300 characters omitted ...]\n${whole.slice(-60)}`
  const lines = renderStyled(cut)
  expect(lines).toContain('{38;5;247}[... 300 characters omitted ...]{39}')
  expect(lines.at(-1)).toBe('{38;5;114}+ new{39}')
})

test('other previews are wrapped text', () => {
  expect(render('Replaces the content of a file: 1 kB before', 20)).toEqual([
    'Replaces the content',
    'of a file: 1 kB',
    'before',
  ])
})

test('any preview: no line is too wide, and there are no control characters except styles', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\n',
      '\t',
      '@@ -1,2 +1,2 @@\n',
      '--- a\n',
      '+++ b\n',
      '-x\n',
      '+y\n',
      ' z\n',
      '漢字',
      '\u001b[1m',
      'word '.repeat(20),
    ),
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 20 }),
      fc.integer({ min: 10, max: 60 }),
      fc.constantFrom(...themeNames),
      (parts, width, name) => {
        for (const line of renderDiff(parts.join(''), { width, theme: createTheme(name), maxLines: 30 })) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what styles consist of
          const visible = line.replaceAll(/\u001b\[[\d;]+m/g, '')
          expect(visible).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
          expect(widthOf(visible)).toBeLessThanOrEqual(width)
        }
      },
    ),
  )
})

test('a large diff takes a bounded time', () => {
  const startedAt = performance.now()
  const line = 'x '.repeat(50_000)
  renderDiff(`@@ -1,2 +1,2 @@\n-${line}a\n-${line}b\n+${line}c\n+${line}d\n${'-a\n+b\n'.repeat(50_000)}`, {
    width: 80,
    theme: createTheme('dark'),
    maxLines: 20,
  })
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})
