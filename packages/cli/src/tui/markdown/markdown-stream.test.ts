import { expect, test } from 'vitest'
import { createTheme } from '../theme/theme.ts'
import type { MarkdownBlock } from './markdown-block.ts'
import { MarkdownStream } from './markdown-stream.ts'
import { renderBlock } from './render-block.ts'

/** The blocks, and the longest pending source, of a text that arrives in small pieces. */
function stream(text: string, pieceLength = 7): { blocks: MarkdownBlock[]; maxPending: number } {
  const stream = new MarkdownStream()
  const blocks: MarkdownBlock[] = []
  let maxPending = 0
  for (let start = 0; start < text.length; start += pieceLength) {
    stream.push(text.slice(start, start + pieceLength))
    blocks.push(...stream.takeFinished())
    if (start % 50 === 0) maxPending = Math.max(maxPending, stream.pending?.source.length ?? 0)
  }
  stream.end()
  return { blocks: [...blocks, ...stream.takeFinished()], maxPending }
}

function linesOf(blocks: readonly MarkdownBlock[]): string[] {
  return blocks.flatMap((block) => renderBlock(block, { width: 60, theme: createTheme('plain') }))
}

test('a block is finished as soon as it can no longer change', () => {
  const stream = new MarkdownStream()
  const finished = (text: string): string[] => {
    stream.push(text)
    return stream.takeFinished().map(({ source }) => source)
  }
  expect(finished('# Title\n')).toEqual(['# Title'])
  expect(finished('one\ntwo\n')).toEqual([])
  expect(finished('\n')).toEqual(['one\ntwo'])
  expect(finished('```ts\na\n\nb\n``')).toEqual([])
  expect(finished('`\n')).toEqual(['```ts\na\n\nb\n```'])
  expect(finished('- a\n\n  b\n- c\n')).toEqual(['- a\n\n  b'])
  expect(finished('\n')).toEqual([])
  expect(finished('text')).toEqual([])
  expect(stream.pending?.source).toBe('- c\n\ntext')
  expect(finished('\n')).toEqual(['- c'])
  expect(stream.pending).toEqual({ source: 'text', hasGap: true, isPending: true })
  expect(finished('---\n')).toEqual(['text\n---'])
  stream.end()
  expect(stream.takeFinished()).toEqual([])
  expect(stream.pending).toBeUndefined()
})

test('a line that is nothing yet is not shown', () => {
  const stream = new MarkdownStream()
  const pending = (text: string): string | undefined => {
    stream.push(text)
    return stream.pending?.source
  }
  expect(pending('text\n-')).toBe('text')
  expect(pending(' item')).toBe('text\n- item')
  expect(pending('\n1')).toBe('- item')
  expect(pending('.')).toBe('- item')
  expect(pending(' x\n\n`')).toBe('1. x')
})

test('a surrogate pair and a line break can be split', () => {
  const stream = new MarkdownStream()
  stream.push('a\ud83c')
  expect(stream.pending?.source).toBe('a')
  stream.push('\udf89\r')
  expect(stream.pending?.source).toBe('a🎉')
  stream.push('\n\r')
  stream.push('\n')
  expect(stream.takeFinished()).toEqual([{ source: 'a🎉', hasGap: false }])
})

test('a fence of 5,000 lines is split, and looks the same', () => {
  const code = Array.from({ length: 5_000 }, (_, index) => (index % 10 === 9 ? '' : `line ${index}`))
  const { blocks, maxPending } = stream(`Text\n\`\`\`ts\n${code.join('\n')}\n\`\`\`\nEnd`)
  expect(maxPending).toBeLessThan(5_000)
  expect(blocks.length).toBeGreaterThan(50)
  expect(linesOf(blocks)).toEqual(['Text', '', ...code.map((line) => line && `  ${line}`), '', 'End'])
})

test('a list of 1,000 items is split, and looks the same', () => {
  const items = Array.from({ length: 1_000 }, (_, index) => `item ${index}`)
  const { blocks, maxPending } = stream(items.map((item) => `1. ${item}\n`).join(''))
  expect(maxPending).toBeLessThan(100)
  expect(linesOf(blocks)).toEqual(items.map((item, index) => `${index + 1}. ${item}`))
})

test('a paragraph of 100 KB is split', () => {
  const words = Array.from({ length: 15_000 }, (_, index) => `word${index}`)
  for (const separator of [' ', '\n']) {
    const { blocks, maxPending } = stream(words.join(separator))
    expect(maxPending).toBeLessThan(9_000)
    const lines = linesOf(blocks)
    expect(lines).not.toContain('')
    expect(lines.join(' ').split(' ')).toEqual(words)
  }
})

test('text after a split is not mistaken for something else', () => {
  const lines = Array.from({ length: 200 }, (_, index) => `${index + 2}. x`)
  const { blocks } = stream(`text\n${lines.join('\n')}`)
  expect(linesOf(blocks).join(' ')).toBe(`text ${lines.join(' ')}`)
})

test('code in an item of a list is split, and looks the same', () => {
  const code = Array.from({ length: 500 }, (_, index) => (index % 10 === 9 ? '' : `line ${index}`))
  const { blocks, maxPending } = stream(
    `1. a\n   - b\n     \`\`\`ts\n${code.map((line) => line && `     ${line}`).join('\n')}\n     \`\`\`\n\n     end\n2. c`,
  )
  expect(maxPending).toBeLessThan(5_000)
  const shown = ['1. a', '   ◦ b', ...code.map((line) => line && `       ${line}`), '', '     end', '2. c']
  expect(linesOf(blocks)).toEqual(shown)
})

test('nested items are split, and look the same', () => {
  const items = Array.from({ length: 300 }, (_, index) =>
    index % 3 === 0 ? `  - item ${index}` : `    - item ${index}`,
  )
  const { blocks, maxPending } = stream(`- top\n${items.join('\n')}\n- next`)
  expect(maxPending).toBeLessThan(5_000)
  const shown = items.map((item) => (item.startsWith('    ') ? item : item.replace('-', '◦')))
  expect(linesOf(blocks)).toEqual(['• top', ...shown, '• next'])
})

test('a long quote is split, with the code in it', () => {
  const code = Array.from({ length: 200 }, (_, index) => `line ${index}`)
  const { blocks, maxPending } = stream(
    `> a\n> \`\`\`\n${code.map((line) => `> ${line}`).join('\n')}\n> \`\`\``,
  )
  expect(maxPending).toBeLessThan(5_000)
  expect(linesOf(blocks)).toEqual(['│ a', '│', ...code.map((line) => `│   ${line}`)])
})

test('a long quote in a nested item of a numbered list is split, with the code in it', () => {
  const code = Array.from({ length: 200 }, (_, index) => (index % 10 === 9 ? '' : `line ${index}`))
  const { blocks, maxPending } = stream(
    `- a\n\n  12. b\n\n      > \`\`\`\n${code.map((line) => `      > ${line}`).join('\n')}\n      > \`\`\`\n  13. c`,
  )
  expect(maxPending).toBeLessThan(5_000)
  const shown = code.map((line) => (line === '' ? '      │' : `      │   ${line}`))
  expect(linesOf(blocks)).toEqual(['• a', '', '  12. b', '', ...shown, '  13. c'])
})

test('a long table is split, with its header repeated', () => {
  const rows = Array.from({ length: 250 }, (_, index) => `| ${index} | x |`)
  const { blocks } = stream(`| a | b |\n|---|---|\n${rows.join('\n')}`)
  const lines = linesOf(blocks)
  expect(lines.filter((line) => line.startsWith('a'))).toHaveLength(3)
  expect(lines.filter((line) => line.endsWith('x'))).toHaveLength(250)
})

test('the work for a piece does not depend on the length of the text', () => {
  const startedAt = performance.now()
  const { blocks } = stream(`${'- item with some words\n'.repeat(20_000)}\n${'long '.repeat(100_000)}`, 3)
  expect(blocks.length).toBeGreaterThan(20_000)
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})
