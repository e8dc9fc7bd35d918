import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { noKey, pressedKey } from '../../../test/pressed-key.ts'
import { createTheme } from '../theme/theme.ts'
import { drawGrapheme, graphemesOf, graphemeWidth } from './graphemes.ts'
import { InputEditor } from './input-editor.ts'
import { layoutInput } from './layout-input.ts'
import { layoutMenu } from './layout-menu.ts'
import { layoutSearch } from './prompt-input.tsx'

const segmenter = new Intl.Segmenter()

/** Text of parts that join with what is next to them, at odd widths, and that terminals must not get. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'b c',
        ' ',
        '\n',
        '\t',
        '/m',
        '@s',
        '\\',
        'e\u0301',
        '\u0301',
        '你好',
        '👨‍👩‍👧',
        '\u200d',
        '👍🏽',
        '🇩🇪',
        '🇩',
      ),
      fc.constantFrom(
        '\ufe0f',
        '1\ufe0f\u20e3',
        '\u0600',
        'ᄀ',
        'ᅡ',
        '각',
        'क्षि',
        '\r\n',
        '\x1b[31m',
        '\u202e',
        '\ud800',
        '\ufdd0',
        '\u00ad',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

const keys = [
  ...[
    'left',
    'right',
    'up',
    'down',
    'home',
    'end',
    'alt+b',
    'alt+f',
    'ctrl+home',
    'ctrl+end',
    'tab',
    'escape',
    'ctrl+r',
  ],
  ...[
    'backspace',
    'delete',
    'ctrl+u',
    'ctrl+k',
    'ctrl+w',
    'alt+d',
    'alt+backspace',
    'ctrl+y',
    'ctrl+_',
    'alt+_',
    'alt+enter',
    'enter',
  ],
]

type Step = { key: string } | { type: string } | { paste: string } | { width: number } | 'search' | 'clear'

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ key: fc.constantFrom(...keys) }) },
  { weight: 3, arbitrary: fc.record({ type: text }) },
  { weight: 1, arbitrary: fc.record({ paste: text }) },
  { weight: 1, arbitrary: fc.record({ paste: text.map((part) => `${part}${'long\n'.repeat(7)}${part}`) }) },
  { weight: 1, arbitrary: fc.record({ width: fc.integer({ min: 1, max: 50 }) }) },
  { weight: 1, arbitrary: fc.constantFrom('search' as const, 'clear' as const) },
)

function create(): InputEditor {
  const entries = ['older', `many\nlines ${'你好 '.repeat(20)}`, 'long '.repeat(500)]
  return new InputEditor({
    onSubmit: (submitted) => expect(submitted.trim()).not.toBe(''),
    history: { entries, add: (entry) => void entries.push(entry) },
    complete: (typed, cursor) => {
      const start = typed.slice(0, cursor).search(/\S*$/)
      const values = ['/model', '/mcp', '@src/', '@你好', '@😀a', '@😁b']
      return values.map((value) => ({ value, description: 'described', start, end: cursor }))
    },
  })
}

function apply(editor: InputEditor, next: Step): void {
  if (next === 'search') editor.openSearch()
  else if (next === 'clear') editor.clear()
  else if ('key' in next) editor.handleKey(...pressedKey(next.key))
  else if ('type' in next) editor.handleKey(next.type, noKey)
  else if ('paste' in next) editor.paste(next.paste)
  else editor.width = next.width
}

function widthOfLine(line: string): number {
  let width = 0
  for (const grapheme of graphemesOf(stripVTControlCharacters(line))) width += graphemeWidth(grapheme)
  return width
}

test('the cursor is always between two graphemes, and the text never contains what a terminal must not get', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const editor = create()
      for (const next of steps) {
        apply(editor, next)
        const { text, cursor, pastes } = editor.getSnapshot()
        expect(cursor).toBeGreaterThanOrEqual(0)
        expect(cursor).toBeLessThanOrEqual(text.length)
        if (cursor < text.length) expect(segmenter.segment(text).containing(cursor)!.index).toBe(cursor)
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u)
        for (const marker of text.match(/[\ufdd0-\ufdef]/g) ?? []) expect(pastes.has(marker)).toBe(true)
        expect(editor.text).not.toMatch(/[\ufdd0-\ufdef]/)
      }
    }),
    { numRuns: scaled(500) },
  )
})

test('undo returns to the former text, redo to the latter', () => {
  // Each step is one edit: no control characters, which would be keys.
  const edit = step.filter((next) => {
    if (typeof next === 'string') return next !== 'search'
    if ('key' in next) return !/up|down|enter$|_$|ctrl\+r/.test(next.key)
    return !('type' in next) || !/\p{Cc}/u.test(next.type)
  })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 20 }), (steps) => {
      const editor = create()
      const former: string[] = ['']
      for (const next of steps) {
        // Consecutive typing is one step, so that it is separated here.
        editor.handleKey(...pressedKey('ctrl+end'))
        apply(editor, next)
        if (editor.getSnapshot().text !== former.at(-1)) former.push(editor.getSnapshot().text)
      }
      const undone = [editor.getSnapshot().text]
      while (former.length > 1) {
        editor.handleKey(...pressedKey('ctrl+_'))
        former.pop()
        expect(editor.getSnapshot().text).toBe(former.at(-1))
        undone.push(editor.getSnapshot().text)
      }
      for (const expected of undone.slice(0, -1).reverse()) {
        editor.handleKey(...pressedKey('alt+_'))
        expect(editor.getSnapshot().text).toBe(expected)
      }
    }),
    { numRuns: scaled(300) },
  )
})

test('the layout is never wider or higher than allowed, and always shows the cursor', () => {
  const theme = createTheme('dark')
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 15 }),
      fc.integer({ min: 2, max: 60 }),
      fc.integer({ min: 1, max: 8 }),
      (steps, width, maxRows) => {
        const editor = create()
        for (const next of steps) apply(editor, next)
        const snapshot = editor.getSnapshot()
        const { lines, cursor } = layoutInput(snapshot, {
          width,
          maxRows,
          theme,
          isFocused: true,
          placeholder: 'Type here',
        })
        expect(lines.length).toBeGreaterThan(0)
        expect(lines.length).toBeLessThanOrEqual(maxRows)
        const menu = snapshot.menu === null ? [] : layoutMenu(snapshot.menu, { width, theme })
        expect(menu.length).toBeLessThanOrEqual(9)
        const search = snapshot.search === null ? null : layoutSearch(snapshot.search, { width, theme })
        for (const line of [...lines, ...menu, ...(search === null ? [] : [search.line])]) {
          expect(line).not.toMatch(/[\n\t\ufdd0-\ufdef]/)
          expect(widthOfLine(line)).toBeLessThanOrEqual(width)
        }
        if (search !== null) {
          expect(cursor).toBe(null)
          expect(search.x).toBeLessThan(width)
          return
        }
        expect(cursor!.x).toBeGreaterThanOrEqual(0)
        expect(cursor!.x).toBeLessThan(width)
        expect(cursor!.y).toBeLessThan(lines.length)
        expect(cursor!.y).toBeGreaterThanOrEqual(0)
      },
    ),
    { numRuns: scaled(500) },
  )
})

test('the rows contain all of the text, in order', () => {
  const theme = createTheme('plain')
  fc.assert(
    fc.property(text, fc.integer({ min: 13, max: 60 }), (typed, width) => {
      const editor = create()
      editor.setText(typed)
      const { lines } = layoutInput(editor.getSnapshot(), { width, maxRows: 1_000, theme, isFocused: true })
      const shown = lines.map((line) => line.slice(2)).join('')
      const expected = editor.text.split('\n').flatMap((line) => Array.from(graphemesOf(line), drawGrapheme))
      expect(shown).toBe(expected.map((drawn) => drawn.shown).join(''))
    }),
    { numRuns: scaled(300) },
  )
})
