import type { Candidate } from '@curfew/agent'
import { describe, expect, test, vi } from 'vitest'
import { noKey, pressedKey } from '../../../test/pressed-key.ts'
import { InputEditor, type InputEditorOptions } from './input-editor.ts'

function setUp(options: Partial<InputEditorOptions> & { entries?: string[] } = {}) {
  const submitted: string[] = []
  const { entries = [] } = options
  const history = { entries, add: (text: string) => void entries.push(text) }
  const editor = new InputEditor({ history, onSubmit: (text) => submitted.push(text), ...options })
  const press = (...names: string[]): boolean[] => names.map((name) => editor.handleKey(...pressedKey(name)))
  const type = (text: string): boolean => editor.handleKey(text, noKey)
  /** The text with a bar at the cursor. */
  const shown = (): string => {
    const { text, cursor, pastes } = editor.getSnapshot()
    const expand = (part: string): string =>
      part.replace(/[\ufdd0-\ufdef]/g, (marker) => pastes.get(marker)!.label)
    return `${expand(text.slice(0, cursor))}|${expand(text.slice(cursor))}`
  }
  return { editor, submitted, press, type, shown, entries }
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}`).join('\n')

describe('editing', () => {
  test.each<[string, string, string[], string]>([
    ['left and backspace', 'abc', ['left', 'backspace'], 'a|c'],
    ['delete', 'abc', ['home', 'delete'], '|bc'],
    ['a joined emoji is one character', 'a👨‍👩‍👧b', ['left', 'backspace'], 'a|b'],
    ['a letter with a mark is one character', 'xe\u0301', ['left'], 'x|e\u0301'],
    ['home and end of the line', 'one\ntwo', ['home'], 'one\n|two'],
    ['Ctrl-A and Ctrl-E', 'one two', ['ctrl+a', 'right', 'ctrl+e'], 'one two|'],
    ['words', 'one two-three', ['alt+left', 'ctrl+left', 'alt+b'], '|one two-three'],
    ['words to the right', 'one two', ['ctrl+a', 'alt+f', 'alt+right'], 'one two|'],
    ['words in other lines', 'one\n\ntwo', ['home', 'alt+left', 'end', 'alt+right'], 'one\n\ntwo|'],
    ['Alt+Backspace at the start of a line', 'one\ntwo', ['home', 'alt+backspace'], 'one|two'],
    ['words of Chinese', '你好世界', ['alt+b'], '你好|世界'],
    ['Ctrl-U', 'one two', ['left', 'ctrl+u'], '|o'],
    ['Ctrl-U at the start of a line', 'one\ntwo', ['ctrl+u', 'ctrl+u'], 'one|'],
    ['Ctrl-K', 'one two', ['home', 'right', 'ctrl+k'], 'o|'],
    ['Ctrl-W up to a space', 'ls src/a-b', ['ctrl+w'], 'ls |'],
    ['Alt+Backspace up to a word', 'ls src/a-b', ['alt+backspace'], 'ls src/a-|'],
    ['Alt+D', 'one two', ['home', 'alt+d'], '| two'],
    ['Ctrl-Y', 'one two', ['ctrl+w', 'home', 'ctrl+y'], 'two|one '],
    ['consecutive kills are yanked together', 'a b c', ['ctrl+w', 'ctrl+w', 'ctrl+y'], 'a b c|'],
    ['newlines', 'a', ['alt+enter', 'shift+enter', 'ctrl+j'], 'a\n\n\n|'],
    ['up and down keep the column', 'long\nx\nlong', ['left', 'up', 'up'], 'lon|g\nx\nlong'],
    ['undo goes back by words', 'x', ['ctrl+_', 'ctrl+_'], '|'],
    ['redo', 'one', ['ctrl+u', 'ctrl+_', 'alt+_'], '|'],
  ])('%s', (_, text, keys, expected) => {
    const { type, press, shown } = setUp()
    for (const line of text.split(/(?=\n)|(?<=\n)/)) {
      if (line === '\n') press('ctrl+j')
      else type(line)
    }
    press(...keys)
    expect(shown()).toBe(expected)
  })

  test('undo goes back word by word while typing', () => {
    const { type, press, shown } = setUp()
    for (const character of 'one two') type(character)
    press('ctrl+_')
    expect(shown()).toBe('one|')
    press('ctrl+_')
    expect(shown()).toBe('|')
    press('alt+_', 'alt+_')
    expect(shown()).toBe('one two|')
  })

  test('up and down move between wrapped rows', () => {
    const { editor, type, press, shown } = setUp({ entries: ['older'] })
    editor.width = 13 // 10 columns for text
    type('aaaa bbbb cccc')
    press('up')
    expect(shown()).toBe('aaaa| bbbb cccc')
    press('down', 'down')
    expect(shown()).toBe('aaaa bbbb cccc|')
    press('up', 'up')
    expect(shown()).toBe('older|')
  })

  test('Enter submits the text and empties the input', () => {
    const { type, press, shown, submitted, entries } = setUp()
    type('hello')
    expect(press('enter')).toEqual([true])
    expect(shown()).toBe('|')
    expect(submitted).toEqual(['hello'])
    expect(entries).toEqual(['hello'])
  })

  test('blank text is not submitted', () => {
    const { type, press, submitted } = setUp()
    press('enter')
    type('  ')
    press('enter')
    expect(submitted).toEqual([])
  })

  test('a backslash at the end of the line and Enter make a new line', () => {
    const { type, press, shown, submitted } = setUp()
    type('one\\')
    press('enter')
    type('two')
    expect(shown()).toBe('one\ntwo|')
    press('enter')
    expect(submitted).toEqual(['one\ntwo'])
  })

  test('what was typed quickly arrives at once', () => {
    const { type, submitted, shown } = setUp()
    type('hello\r')
    type('x\x15one\x01two \rthree')
    expect(submitted).toEqual(['hello', 'two one'])
    expect(shown()).toBe('three|')
  })

  test('keys of the program are not used', () => {
    const { press, type, editor } = setUp()
    type('text')
    const { text } = editor.getSnapshot()
    const keys = [
      'escape',
      'ctrl+c',
      'ctrl+d',
      'ctrl+z',
      'ctrl+r',
      'ctrl+l',
      'ctrl+b',
      'shift+tab',
      'tab',
      'alt+x',
      'pageup',
    ]
    expect(press(...keys)).toEqual(keys.map(() => false))
    expect(editor.handleKey('a', { ...noKey, eventType: 'release' })).toBe(false)
    expect(editor.handleKey('\x1b', { ...noKey, escape: true, meta: true })).toBe(false)
    expect(editor.getSnapshot().text).toBe(text)
  })

  test('control characters, bidi overrides and lone surrogates are not inserted', () => {
    const { editor } = setUp()
    editor.handleKey('a\u202eb\ud800\u0085c\ufdd0', noKey)
    expect(editor.text).toBe('ab\ufffdc\ufffd')
  })
})

describe('the snapshot', () => {
  test('is the same object while nothing changes', () => {
    const { editor, press } = setUp()
    const listener = vi.fn()
    editor.subscribe(listener)
    const before = editor.getSnapshot()
    press('left', 'right', 'backspace', 'ctrl+k', 'ctrl+_', 'up', 'enter', 'escape')
    expect(listener).not.toHaveBeenCalled()
    expect(editor.getSnapshot()).toBe(before)
    press('x')
    expect(editor.getSnapshot()).not.toBe(before)
  })

  test('listeners are called once per key, also for several at once', () => {
    const { editor, type } = setUp()
    const listener = vi.fn()
    const unsubscribe = editor.subscribe(listener)
    type('one\x01two\x05')
    expect(listener).toHaveBeenCalledTimes(1)
    unsubscribe()
    type('x')
    expect(listener).toHaveBeenCalledTimes(1)
  })

  test('a submitted text can be set again in the callback', () => {
    const { editor, type } = setUp({ onSubmit: (text) => editor.setText(`again: ${text}`) })
    type('one\r')
    expect(editor.text).toBe('again: one')
  })
})

describe('pasting', () => {
  test('a short paste is inserted with normal line ends', () => {
    const { editor, shown } = setUp()
    editor.paste('a\r\nb\rc\x1b[31m\x07\td')
    expect(shown()).toBe('a\nb\nc\td|')
  })

  test('a long paste is one unit, and expanded when it is submitted', () => {
    const { editor, type, press, shown, submitted } = setUp()
    type('see ')
    editor.paste(lines(500))
    type(' and')
    editor.paste('x'.repeat(2_000))
    expect(shown()).toBe('see [pasted 500 lines #1] and[pasted 2,000 characters #2]|')
    press('backspace', 'ctrl+a', 'alt+right', 'right', 'right')
    expect(shown()).toBe('see [pasted 500 lines #1]| and')
    press('left')
    expect(shown()).toBe('see |[pasted 500 lines #1] and')
    press('enter')
    expect(submitted).toEqual([`see ${lines(500)} and`])
  })

  test('pasting it again shows it', () => {
    const { editor, press, shown } = setUp()
    editor.paste(lines(7))
    expect(editor.getSnapshot().notice).toBe('Paste it again to show it.')
    editor.paste(lines(7))
    expect(shown()).toBe(`${lines(7)}|`)
    press('ctrl+_')
    expect(shown()).toBe('[pasted 7 lines #1]|')
  })

  test('what is too long is rejected with a notice, which disappears with the next key', () => {
    const { editor, press } = setUp()
    editor.paste('x'.repeat(5_000_000))
    expect(editor.text).toBe('')
    expect(editor.getSnapshot().notice).toContain('more than 1,000,000 characters')
    press('left')
    expect(editor.getSnapshot().notice).toBe(null)
    editor.paste('x'.repeat(600_000))
    editor.paste('y'.repeat(600_000))
    expect(editor.text.length).toBe(600_000)
    expect(editor.getSnapshot().notice).toContain('too long')
  })

  test('pastes that were deleted for good make room for others', () => {
    const { editor, press } = setUp()
    for (let index = 0; index < 100; index++) {
      editor.paste(`${index} ${lines(10)}`)
      if (index < 99) press('enter')
    }
    expect(editor.text).toBe(`99 ${lines(10)}`)
    for (let index = 0; index < 40; index++) editor.paste(`${index} ${lines(10)}`)
    expect(editor.getSnapshot().notice).toContain('too long')
    expect(editor.text.startsWith('99')).toBe(true)
  })

  test('a killed paste can be yanked after submitting', () => {
    const { editor, type, press, submitted } = setUp()
    editor.paste(lines(10))
    press('ctrl+u')
    type('x')
    press('enter', 'ctrl+y', 'enter')
    expect(submitted).toEqual(['x', lines(10)])
  })

  test('typed text has a limit', () => {
    const { editor, type } = setUp()
    for (let index = 0; index < 60; index++) type('x'.repeat(999))
    expect(editor.text.length).toBe(20 * 999)
    expect(editor.getSnapshot().notice).toContain('more than 20,000 characters')
  })
})

describe('history', () => {
  test('steps back and forth and keeps the draft', () => {
    const { type, press, shown } = setUp({ entries: ['one', 'two'] })
    type('draft')
    press('left', 'up')
    expect(shown()).toBe('two|')
    press('up', 'up')
    expect(shown()).toBe('|one')
    press('down', 'down')
    expect(shown()).toBe('draf|t')
    press('down')
    expect(shown()).toBe('draft|')
  })

  test('keeps changes of an entry until something is submitted', () => {
    const { type, press, shown, submitted, entries } = setUp({ entries: ['one', 'two'] })
    press('up')
    type('!')
    press('up', 'down')
    expect(shown()).toBe('two!|')
    press('down')
    type('new')
    press('enter', 'up', 'up')
    expect(shown()).toBe('two|')
    expect(submitted).toEqual(['new'])
    expect(entries).toEqual(['one', 'two', 'new'])
  })

  test('one key per entry, also for entries of several lines', () => {
    const { press, shown } = setUp({ entries: ['first', 'a\nb'] })
    press('up')
    expect(shown()).toBe('a|\nb')
    press('up')
    expect(shown()).toBe('first|')
    press('down')
    expect(shown()).toBe('a\nb|')
  })

  test('long entries are collapsed', () => {
    const { editor, press, shown } = setUp({ entries: [lines(300), 'newest'] })
    press('up', 'up')
    expect(shown()).toBe('[pasted 300 lines #1]|')
    expect(editor.text).toBe(lines(300))
  })

  test('undo is separate for each entry', () => {
    const { type, press, shown } = setUp({ entries: ['one'] })
    type('draft')
    press('up', 'ctrl+_')
    expect(shown()).toBe('one|')
    press('down', 'ctrl+_')
    expect(shown()).toBe('|')
  })
})

describe('search', () => {
  const entries = ['git status', 'npm test', 'git push', 'npm run build']

  test('filters while typing, and takes the match into the input', () => {
    const { editor, type, press, shown, submitted } = setUp({ entries: [...entries] })
    type('draft')
    editor.openSearch()
    type('GIT')
    expect(editor.getSnapshot().search).toMatchObject({ query: 'GIT', matches: ['git push', 'git status'] })
    press('ctrl+r', 'ctrl+r')
    expect(editor.getSnapshot().search).toMatchObject({ selected: 1 })
    expect(press('enter')).toEqual([true])
    expect(shown()).toBe('git status|')
    expect(submitted).toEqual([])
    press('ctrl+_')
    expect(shown()).toBe('draft|')
  })

  test.each(['escape', 'ctrl+c', 'ctrl+g'])('%s restores the draft', (key) => {
    const { editor, type, press, shown } = setUp({ entries: [...entries] })
    type('draft')
    press('left')
    editor.openSearch()
    type('npm')
    expect(press(key)).toEqual([true])
    expect(editor.getSnapshot().search).toBe(null)
    expect(shown()).toBe('draf|t')
    expect(press(key)).toEqual([false])
  })

  test('can be corrected', () => {
    const { editor, type, press } = setUp({ entries: [...entries] })
    editor.openSearch()
    type('npmx')
    expect(editor.getSnapshot().search).toMatchObject({ matches: [] })
    press('backspace')
    expect(editor.getSnapshot().search?.matches.length).toBe(2)
    press('enter')
    expect(editor.text).toBe('npm run build')
  })

  test('without a match, Enter keeps the draft', () => {
    const { editor, type, press, shown } = setUp({ entries: [...entries] })
    type('draft')
    editor.openSearch()
    type('nothing')
    press('enter')
    expect(shown()).toBe('draft|')
  })

  test('lists an entry once', () => {
    const { editor } = setUp({ entries: ['a', 'b', 'a'] })
    editor.openSearch()
    expect(editor.getSnapshot().search?.matches).toEqual(['a', 'b'])
  })
})

describe('completion', () => {
  const names = ['/help', '/model', '/mcp', '/memory', '/clear']
  const files = ['@src/', '@src/agent.ts', '@src/agents/', '@README.md']

  function completing() {
    const complete = vi.fn((text: string, cursor: number): Candidate[] => {
      const start = text.slice(0, cursor).search(/\S*$/)
      const typed = text.slice(start, cursor)
      return [...(start === 0 ? names : []), ...files]
        .filter((value) => value.startsWith(typed))
        .map((value) => ({ value, description: '', start, end: cursor }))
    })
    const result = setUp({ complete, entries: ['/help'] })
    const selected = (): string | null => {
      const { menu } = result.editor.getSnapshot()
      return menu === null ? null : menu.candidates[menu.selected]!.value
    }
    return { ...result, complete, selected }
  }

  test('opens for a command and a mention, not for text', () => {
    const { type, selected, press } = completing()
    type('hello')
    expect(selected()).toBe(null)
    type(' @REA')
    expect(selected()).toBe('@README.md')
    press('ctrl+u')
    type('/m')
    expect(selected()).toBe('/model')
  })

  test('is asked once per change of the text', () => {
    const { type, press, complete, editor } = completing()
    type('/')
    expect(complete).toHaveBeenCalledTimes(1)
    press('down', 'up', 'home', 'backspace', 'end')
    editor.paste('')
    expect(complete).toHaveBeenCalledTimes(1)
    type('mo\x7f')
    expect(complete).toHaveBeenCalledTimes(2)
  })

  test('Tab completes what is common, then the selected one', () => {
    const { type, press, shown, selected } = completing()
    type('@s')
    press('tab')
    expect(shown()).toBe('@src/|')
    press('down', 'tab')
    expect(shown()).toBe('@src/agent.ts |')
    expect(selected()).toBe(null)
  })

  test('Tab in a folder goes on, in a fast sequence, too', () => {
    const { type, shown } = completing()
    type('@s\tagents\t')
    expect(shown()).toBe('@src/agents/|')
  })

  test('up and down select, and wrap around', () => {
    const { type, press, selected } = completing()
    type('/m')
    press('up')
    expect(selected()).toBe('/memory')
    press('down')
    expect(selected()).toBe('/model')
  })

  test('Enter accepts a chosen candidate, then submits', () => {
    const { type, press, shown, submitted } = completing()
    type('/m')
    press('down', 'enter')
    expect(shown()).toBe('/mcp |')
    press('enter')
    expect(submitted).toEqual(['/mcp '])
  })

  test('Enter completes the start of a command, which could only fail', () => {
    const { type, press, shown, submitted } = completing()
    type('/mod')
    press('enter')
    expect(shown()).toBe('/model |')
    expect(submitted).toEqual([])
  })

  test('Enter submits a complete command and an incomplete mention', () => {
    const { type, press, submitted } = completing()
    type('/help')
    press('enter')
    type('read @src/ag')
    press('enter')
    expect(submitted).toEqual(['/help', 'read @src/ag'])
  })

  test('Escape closes until the text changes', () => {
    const { type, press, selected } = completing()
    type('/m')
    expect(press('escape', 'escape')).toEqual([true, false])
    expect(selected()).toBe(null)
    type('o')
    expect(selected()).toBe('/model')
  })

  test('Tab opens a closed menu', () => {
    const { type, press, selected } = completing()
    type('/m')
    press('escape', 'tab')
    expect(selected()).toBe('/model')
  })

  test('a recalled command opens no menu, so that up and down go on', () => {
    const { press, selected, shown } = completing()
    press('up')
    expect(shown()).toBe('/help|')
    expect(selected()).toBe(null)
    press('down')
    expect(shown()).toBe('|')
  })

  test('opens again for the same text after it was submitted', () => {
    const { editor, press, selected } = completing()
    for (let round = 0; round < 2; round++) {
      editor.paste('/help')
      expect(selected()).toBe('/help')
      press('enter')
      expect(selected()).toBe(null)
    }
  })

  test('replaces the word at the cursor only', () => {
    const { type, press, shown } = completing()
    type('see  now')
    press('left', 'left', 'left', 'left')
    type('@READ')
    press('tab')
    expect(shown()).toBe('see @README.md |now')
  })

  test('survives a completion that throws or returns control characters', () => {
    const { type, selected } = setUpWith(() => {
      throw new Error('EACCES')
    })
    type('@a')
    expect(selected()).toBe(null)
    const other = setUpWith(() => [{ value: '@a\x1b[2J', description: '', start: 0, end: 2 }])
    other.type('@a')
    expect(other.selected()).toBe(null)
  })

  function setUpWith(complete: () => Candidate[]) {
    const result = setUp({ complete })
    return { ...result, selected: () => result.editor.getSnapshot().menu }
  }
})
