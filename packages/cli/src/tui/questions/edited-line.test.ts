import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyOf } from '../../../test/panel-setup.ts'
import { type EditedLine, editLine, emptyLine, insertText, lineOf, maxLineLength } from './edited-line.ts'

/** The text after some keys, with `|` at the cursor. */
function type(start: string, ...keys: string[]): string {
  const { text, cursor } = keys.reduce<EditedLine>(
    (line, key) => editLine(line, ...keyOf(key)) ?? line,
    lineOf(start),
  )
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`
}

test('keys move and edit as in a shell', () => {
  expect(type('ab', 'leftArrow', 'x')).toBe('ax|b')
  expect(type('ab', 'home', 'rightArrow', 'delete')).toBe('a|')
  expect(type('ab', 'ctrl+a', 'x', 'ctrl+e', 'y')).toBe('xaby|')
  expect(type('one two  ', 'ctrl+w', 'backspace')).toBe('one|')
  expect(type('one two', 'leftArrow', 'ctrl+u')).toBe('|o')
  expect(type('one two', 'home', 'ctrl+k')).toBe('|')
  expect(type('a👩‍👩‍👧e\u0301', 'backspace', 'backspace')).toBe('a|')
  expect(type('👩‍👩‍👧', 'leftArrow', 'rightArrow')).toBe('👩‍👩‍👧|')
})

test('other keys are not for the line', () => {
  for (const key of ['return', 'escape', 'tab', 'ctrl+c', 'ctrl+o', 'meta+x', 'upArrow', 'pageDown'])
    expect(editLine(emptyLine, ...keyOf(key))).toBeNull()
})

test('pasted text is bounded and has no control characters', () => {
  expect(insertText(emptyLine, 'a\r\nb\rc\u001b[31m\u0000\td').text).toBe('a\nb\nc[31m\td')
  expect(insertText(lineOf('x'), 'y'.repeat(maxLineLength + 5)).text.length).toBe(maxLineLength)
})

test('property: the cursor stays within the text, between characters', () => {
  const keys = ['leftArrow', 'rightArrow', 'home', 'end', 'backspace', 'delete', 'ctrl+w', 'ctrl+u', 'ctrl+k']
  const step = fc.oneof(fc.constantFrom(...keys), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let line = emptyLine
      for (const key of steps) line = editLine(line, ...keyOf(key)) ?? line
      expect(line.cursor).toBeGreaterThanOrEqual(0)
      expect(line.cursor).toBeLessThanOrEqual(line.text.length)
      expect(line.text.slice(0, line.cursor).isWellFormed()).toBe(true)
    }),
  )
})
