import { describe, expect, test } from 'vitest'
import { createTheme } from '../theme/theme.ts'
import { InputEditor } from './input-editor.ts'
import { layoutInput } from './layout-input.ts'
import { layoutMenu } from './layout-menu.ts'
import { layoutSearch } from './prompt-input.tsx'

const theme = createTheme('plain')

function draw(text: string, options: { width?: number; maxRows?: number; isFocused?: boolean } = {}) {
  const editor = new InputEditor({ onSubmit: () => {} })
  editor.setText(text)
  const { width = 20, maxRows = 10, isFocused = true } = options
  return layoutInput(editor.getSnapshot(), { width, maxRows, theme, isFocused, placeholder: 'Ask anything' })
}

describe('layoutInput', () => {
  test('shows a placeholder', () => {
    expect(draw('')).toEqual({ lines: ['> Ask anything'], cursor: { x: 2, y: 0 } })
  })

  test('wraps between words, with the following rows indented', () => {
    expect(draw('the quick brown fox jumps')).toEqual({
      lines: ['> the quick brown ', '  fox jumps'],
      cursor: { x: 11, y: 1 },
    })
  })

  test('a space may hang behind a full row', () => {
    expect(draw('12345678901234567 next')).toEqual({
      lines: ['> 12345678901234567 ', '  next'],
      cursor: { x: 6, y: 1 },
    })
  })

  test('the cursor behind a full row stays in it', () => {
    expect(draw('12345678901234567').cursor).toEqual({ x: 19, y: 0 })
  })

  test('breaks words that are too long', () => {
    expect(draw('x'.repeat(40)).lines).toEqual([`> ${'x'.repeat(17)}`, `  ${'x'.repeat(17)}`, '  xxxxxx'])
  })

  test('counts wide characters twice and joined emoji as one', () => {
    expect(draw('你好世界你好世界你', { width: 13 })).toEqual({
      lines: ['> 你好世界你', '  好世界你'],
      cursor: { x: 10, y: 1 },
    })
    expect(draw('👨‍👩‍👧x').cursor).toEqual({ x: 5, y: 0 })
  })

  test('shows the rows around the cursor, and how many are hidden', () => {
    const text = Array.from({ length: 5 }, (_, index) => `line ${index}`).join('\n')
    expect(draw(text, { maxRows: 4, width: 40 })).toEqual({
      lines: ['  line 2', '  line 3', '  line 4', '  2 lines above'],
      cursor: { x: 8, y: 2 },
    })
  })

  test('a single row is enough', () => {
    expect(draw('a\nb\nc', { maxRows: 1 })).toEqual({ lines: ['  c'], cursor: { x: 3, y: 0 } })
  })

  test('shows a long paste as its label', () => {
    expect(draw('x\n'.repeat(500), { width: 40 }).lines).toEqual(['> [pasted 500 lines #1]'])
    expect(draw('x\n'.repeat(500), { width: 12 }).lines).toEqual(['> [pasted …'])
  })

  test('has no cursor without focus', () => {
    expect(draw('text', { isFocused: false })).toEqual({ lines: ['> text'], cursor: null })
  })
})

describe('layoutMenu', () => {
  const candidates = Array.from({ length: 20 }, (_, index) => ({
    value: `/command-${index}`,
    description: `Does ${index}\nthings`,
    start: 0,
    end: 1,
  }))

  test('shows eight candidates around the selected one', () => {
    expect(layoutMenu({ candidates, selected: 10, isMoved: true }, { width: 40, theme })).toEqual([
      '  /command-6   Does 6 things',
      '  /command-7   Does 7 things',
      '  /command-8   Does 8 things',
      '  /command-9   Does 9 things',
      '❯ /command-10  Does 10 things',
      '  /command-11  Does 11 things',
      '  /command-12  Does 12 things',
      '  /command-13  Does 13 things',
      '  11 of 20',
    ])
  })

  test('in a narrow terminal, only the names', () => {
    expect(
      layoutMenu({ candidates: candidates.slice(0, 2), selected: 0, isMoved: false }, { width: 15, theme }),
    ).toEqual(['❯ /command-0', '  /command-1'])
  })
})

describe('layoutSearch', () => {
  test('shows the query and where the match is', () => {
    expect(
      layoutSearch({ query: 'git ', matches: ['git a', 'git b'], selected: 1 }, { width: 60, theme }),
    ).toEqual({
      line: 'search: git   2 of 2 · Ctrl-R older · Enter edits it · Esc …',
      x: 12,
    })
    expect(layoutSearch({ query: 'x', matches: [], selected: 0 }, { width: 60, theme }).line).toBe(
      'search: x  no match · Esc cancels',
    )
  })

  test('shows the end of a long query', () => {
    expect(layoutSearch({ query: 'abcdefghijkl', matches: [], selected: 0 }, { width: 10, theme })).toEqual({
      line: 'defghijkl',
      x: 9,
    })
  })
})
