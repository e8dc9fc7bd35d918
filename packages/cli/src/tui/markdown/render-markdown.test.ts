import { stripVTControlCharacters } from 'node:util'
import { renderToString, Text } from 'ink'
import { createElement } from 'react'
import { describe, expect, test } from 'vitest'
import { renderMarkdown } from '../../../test/render-markdown.ts'
import { widthOf } from '../../text-width.ts'
import { createTheme } from '../theme/theme.ts'
import { loadHighlighter } from './load-highlighter.ts'
import { MarkdownStream } from './markdown-stream.ts'
import { renderBlock } from './render-block.ts'

const plain = createTheme('plain')
const highlighter = await loadHighlighter()

function render(text: string, width = 40): string {
  return renderMarkdown(text, { width, theme: plain }).join('\n')
}

/** Shows styles as `{1}bold{22}`. */
function renderStyled(text: string, width = 40): string {
  const lines = renderMarkdown(text, { width, theme: createTheme('none'), highlighter })
  return styles(lines.join('\n'))
}

function styles(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what styles consist of
  return text.replaceAll(/\u001b\[([\d;]+)m/g, '{$1}')
}

describe('text', () => {
  test('paragraphs are wrapped at words', () => {
    expect(render('one  two three four five\n\nsix', 12)).toBe('one two\nthree four\nfive\n\nsix')
  })

  test('line breaks are kept', () => {
    expect(render('**Name:** a  \n  **Size:** b\n\tlast')).toBe('Name: a\nSize: b\nlast')
  })

  test('a long word is broken, so that no line is too wide', () => {
    expect(render('see https://example.com/path now', 12)).toBe('see\nhttps://exam\nple.com/path\nnow')
  })

  test('Chinese is wrapped between characters, but not before punctuation', () => {
    expect(render('天気は晴れ、漢字', 10)).toBe('天気は晴\nれ、漢字')
  })

  test('emoji count two columns and are not taken apart', () => {
    expect(render('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 10)).toBe('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧\n👨‍👩‍👧')
  })

  test('styles are closed at the end of each line', () => {
    expect(renderStyled('a **bold and\nlong** *it* ~~no~~ `code`', 12)).toBe(
      'a {1}bold and{22}\n{1}long{22} {3}it{23} {9}no{29}\n{1}code{22}',
    )
  })

  test('styles inside of others', () => {
    expect(renderStyled('# a `b` c')).toBe('{1}{4}a {22}{24}{1}{4}{1}b{22}{22}{24}{1}{4} c{22}{24}')
  })

  test('a link shows its address, unless its text does', () => {
    expect(render('[docs](https://a.b/c) https://d.e <f@g.h> [x@y.z](mailto:x@y.z)', 100)).toBe(
      'docs (https://a.b/c) https://d.e f@g.h x@y.z',
    )
  })

  test('images, HTML and entities are text', () => {
    expect(render('![a cat](cat.png) <kbd>x</kbd> &lt;b&gt; &nbsp;&unknown; `&lt;`', 100)).toBe(
      'image: a cat (cat.png) <kbd>x</kbd> <b> \u00a0&unknown; `&lt;`',
    )
  })

  test('hard breaks', () => {
    expect(render('one  \ntwo\\\nthree<br>four')).toBe('one\ntwo\nthree\nfour')
  })

  test('references to other parts of the document are shown as they are', () => {
    expect(render('See [text][1] and [2].\n\n[1]: https://a\n[2]: https://b')).toBe(
      'See [text][1] and [2].\n\n[1]: https://a\n[2]: https://b',
    )
  })
})

describe('blocks', () => {
  test('headings', () => {
    expect(render('# One\n## Two\n\nThree\n===')).toBe('# One\n\n## Two\n\n# Three')
    expect(renderStyled('# One\n### Three')).toBe('{1}{4}One{22}{24}\n\n{1}Three{22}')
  })

  test('lists are indented below their text', () => {
    const text =
      '- one two three four\n  - nested item that wraps\n    1. deep\n- [x] done and done\n- [ ] open'
    expect(render(text, 16)).toBe(
      '• one two three\n  four\n  ◦ nested item\n    that wraps\n    1. deep\n• [x] done and\n      done\n• [ ] open',
    )
  })

  test('numbered lists count from their first number', () => {
    expect(render('9. a\n9. b\n\n   c\n1. d')).toBe('9. a\n10. b\n\n    c\n11. d')
    expect(render('1) a\n2) b\n\ntext\n\n5. c')).toBe('1) a\n2) b\n\ntext\n\n5. c')
  })

  test('items are spaced as in the source', () => {
    expect(render('- a\n- b\n\n- c')).toBe('• a\n• b\n\n• c')
  })

  test('quotes have a bar', () => {
    expect(render('> one two three\n> four\n>\n> - five\n> > six', 12)).toBe(
      '│ one two\n│ three\n│ four\n│\n│ • five\n│ │ six',
    )
  })

  test('rules', () => {
    expect(render('a\n\n---\n\nb', 10)).toBe('a\n\n──────────\n\nb')
  })

  test('an item that is indented too deep for the width is still readable', () => {
    const nested = Array.from({ length: 8 }, (_, depth) => `${'  '.repeat(depth)}- item`).join('\n')
    const lines = render(nested, 12).split('\n')
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(12)
    expect(lines.filter((line) => line.includes('item'))).toHaveLength(8)
  })

  test('HTML is shown line by line', () => {
    expect(render('<details>\n<summary>More</summary>\n\nText\n\n</details>')).toBe(
      '<details>\n<summary>More</summary>\n\nText\n\n</details>',
    )
  })
})

describe('code', () => {
  test('is indented, and not interpreted', () => {
    expect(render('Run:\n```sh\nnpm i **a** &lt;\n\n\tx\n```\nDone.')).toBe(
      'Run:\n\n  npm i **a** &lt;\n\n      x\n\nDone.',
    )
    expect(render('a\n\n    b\n\n      c\n\nd')).toBe('a\n\n  b\n\n    c\n\nd')
  })

  test('long lines are wrapped without losing characters', () => {
    expect(render('```\n0123456789  abcdef\n```', 12)).toBe('  0123456789\n    abcdef')
  })

  test('is highlighted if its language is known', () => {
    expect(renderStyled('```ts\nconst a = "b" // c\n```')).toBe('  {1}const{22} a = "b" {2}// c{22}')
    expect(renderStyled('```klingon\nconst a = "b" // c\n```')).toBe('  const a = "b" // c')
  })

  test('is highlighted while it arrives', () => {
    const stream = new MarkdownStream()
    const shown: string[] = []
    for (const piece of ['```ts\nconst a', ' = 1\nconst b = 2\n// c', 'omment']) {
      stream.push(piece)
      shown.push(
        renderBlock(stream.pending!, { width: 40, theme: createTheme('none'), highlighter }).join('\n'),
      )
    }
    expect(shown.map((lines) => styles(lines))).toEqual([
      '  {1}const{22} a',
      '  {1}const{22} a = 1\n  {1}const{22} b = 2\n  {2}// c{22}',
      '  {1}const{22} a = 1\n  {1}const{22} b = 2\n  {2}// comment{22}',
    ])
  })

  test('tabs in a list are as wide as elsewhere', () => {
    expect(render('1. Go:\n   ```go\n   func main() {\n   \tprint()\n   }\n   ```')).toBe(
      '1. Go:\n     func main() {\n         print()\n     }',
    )
  })
})

describe('tables', () => {
  const table = '| Name | Size |\n|:--|--:|\n| a | 1 |\n| `bb` | 200 |'

  test('columns are aligned', () => {
    expect(render(table)).toBe('Name │ Size\n─────┼─────\na    │    1\n`bb` │  200')
  })

  test('cells are wrapped if the table does not fit', () => {
    expect(render('| a | b |\n|--|--|\n| x | one two three |\n| y | four<br>five |', 14)).toBe(
      'a │ b\n──┼───────────\nx │ one two\n  │ three\n──┼───────────\ny │ four\n  │ five',
    )
  })

  test('without room for columns, each row is a list of values', () => {
    const header = '| Library | Version | License | Comment |\n|--|--|--|--|\n'
    expect(render(`${header}| marked | 18.2.0 | MIT | no dependencies |\n| other | 1.0.0 | | |`, 20)).toBe(
      'Library: marked\nVersion: 18.2.0\nLicense: MIT\nComment: no\n  dependencies\n\nLibrary: other\nVersion: 1.0.0',
    )
  })

  test('wide characters are aligned', () => {
    expect(render('| a | b |\n|--|--|\n| 漢字 | x |\n| 🎉 | y |')).toBe(
      'a    │ b\n─────┼──\n漢字 │ x\n🎉   │ y',
    )
  })
})

test('Ink shows the lines as they are, without wrapping them again', () => {
  const text = [
    '# Größe ✓ → “quoted”',
    '- 👨‍👩‍👧 family, 🇩🇪 flag, 👍🏽 tone, 1️⃣ keycap, ❤️ heart, 天気は晴れ、漢字の長い文章はどこでも改行できる',
    '- नमस्ते दुनिया, สวัสดีชาวโลก, مرحبا بالعالم, e\u0301tude, 한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8',
    '',
    '| a | 🎉🎉🎉 |\n|---|---|\n| **漢字漢字** | ✅ `code` ⚠️ |',
    '```ts\nconst text = "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字" // 🎉🎉🎉\n```',
    '> **Note** — ‘dashes’ … and ellipses\u200b with a zero-width space, soft\u00adhyphen',
  ].join('\n')
  for (let width = 20; width <= 60; width++) {
    const lines = renderMarkdown(text, { width, theme: createTheme('dark'), highlighter })
    const shown = renderToString(createElement(Text, null, lines.join('\n')), { columns: width })
    const visible = (line: string): string =>
      stripVTControlCharacters(line)
        .replaceAll(/\p{Cf}/gu, '')
        .trimEnd()
    expect(shown.split('\n').map(visible)).toEqual(lines.map(visible))
  }
})

describe('untrusted text', () => {
  test.each([
    ['a control sequence', 'a\u001b[31mb\u001b]0;title\u0007c', 'abc'],
    ['an encoded one', 'a&#27;[31mb &#x1b;]0;t&#7; &#155;', 'ab'],
    ['one in code', '```\na\u001b[2Jb\n```', '  ab'],
    ['direction marks', 'a\u202eb&#x202e;c', 'abc'],
    ['half a surrogate pair', 'a\ud800b', 'a\ufffdb'],
    ['a carriage return', 'a\rb', 'a\nb'],
    ['a line separator', 'a\u2028b', 'a\nb'],
    ['a tab', 'a\tb', 'a b'],
    ['a mark that is used internally', '- \u0001\n- a\u0001b', '•\n• ab'],
  ])('%s', (_, text, expected) => {
    expect(render(text)).toBe(expected)
  })

  const long = 200_000
  test.each([
    ['quotes', '>'.repeat(10_000)],
    ['quotes with a continuation', `${'> '.repeat(4_000)}\na`],
    ['brackets', '['.repeat(50_000)],
    ['asterisks', '*'.repeat(100_000)],
    ['nested lists', Array.from({ length: 1_000 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['nested lists in one line', '- '.repeat(long / 2)],
    ['emphasis that is not closed', '*a_'.repeat(long / 3)],
    ['links that are not closed', `${'[]('.repeat(long / 3)})`],
    ['tags that are not closed', '<a '.repeat(long / 3)],
    ['addresses', `${'a.'.repeat(long / 2)}@`],
    ['a paragraph of one word', 'a'.repeat(1_000_000)],
    ['a table with many columns', `${'|a'.repeat(2_000)}\n${'|-'.repeat(2_000)}\n${'|\n'.repeat(1_000)}`],
    ['code in one line', `\`\`\`java\n${'A'.repeat(long)}`],
    [
      'code for which a grammar takes quadratic time',
      `\`\`\`csharp\n${'a a a a a a a a\n'.repeat(long / 16)}`,
    ],
    ['combining marks', `a${'\u0301'.repeat(long)}`],
    ['titles that do not end', '\u001b]'.repeat(long)],
  ])('%s take a bounded time', (_, text) => {
    const startedAt = performance.now()
    renderMarkdown(text, { width: 80, theme: plain, highlighter })
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })
})
