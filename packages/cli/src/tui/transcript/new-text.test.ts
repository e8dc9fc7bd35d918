import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NewText } from './new-text.ts'

function shown(received: string, pieces: readonly string[]): { text: string; isContinued: boolean | null } {
  const newText = new NewText(received)
  let text = ''
  let isContinued: boolean | null = null
  for (const piece of pieces) {
    const next = newText.push(piece)
    text += next?.text ?? ''
    isContinued = next?.isContinued ?? isContinued
  }
  return { text, isContinued }
}

test('text that begins again is shown from where it was cut off', () => {
  expect(shown('First part, ', ['First', ' part, second', ' part.'])).toEqual({
    text: 'second part.',
    isContinued: true,
  })
})

test('other text is shown as a whole', () => {
  expect(shown('First part, ', ['Fir', 'e and water'])).toEqual({
    text: 'Fire and water',
    isContinued: false,
  })
})

test('nothing is shown while it only repeats', () => {
  expect(shown('First part, ', ['First ', 'part'])).toEqual({ text: '', isContinued: null })
})

test('whatever the pieces are, nothing is shown twice and nothing new is lost', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.array(fc.string()), (received, pieces) => {
      const whole = pieces.join('')
      const { text } = shown(received, pieces)
      if (received.startsWith(whole)) expect(text).toBe('')
      else if (whole.startsWith(received)) expect(received + text).toBe(whole)
      else expect(text).toBe(whole)
    }),
  )
})
