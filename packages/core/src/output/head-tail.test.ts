import fc from 'fast-check'
import { expect, test } from 'vitest'
import { capText, HeadTail } from './head-tail.ts'

test('keeps a string that fits, in any chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (chunks) => {
      const text = chunks.join('')
      const kept = new HeadTail(text.length * 2 + 2)
      for (const chunk of chunks) kept.append(chunk)
      expect(kept.toString()).toBe(text)
      expect(kept.length).toBe(text.length)
    }),
  )
})

test('keeps the head and tail of a longer string, and counts the omitted characters', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
      fc.integer({ min: 2, max: 40 }),
      (chunks, limit) => {
        const text = chunks.join('')
        const kept = new HeadTail(limit)
        for (const chunk of chunks) kept.append(chunk)
        const [head, omitted, tail] = split(kept.toString())
        expect(text.startsWith(head)).toBe(true)
        expect(text.endsWith(tail)).toBe(true)
        expect(head.length + omitted + tail.length).toBe(text.length)
        expect(head.length + tail.length).toBeLessThanOrEqual(limit + 2)
        expect(hasLoneSurrogate(kept.toString())).toBe(false)
        expect(text.endsWith(kept.last(5))).toBe(true)
      },
    ),
  )
})

test('capText returns at most `limit` characters, including the omission mark', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 200 }), (whole, limit) => {
      const capped = capText(whole, limit)
      expect(capped.length).toBeLessThanOrEqual(Math.max(limit, 1))
      expect(hasLoneSurrogate(capped)).toBe(false)
      const [head, omitted, tail] = split(capped)
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
      if (omitted > 0) expect(head.length + omitted + tail.length).toBe(whole.length)
    }),
  )
})

function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

function split(shown: string): [string, number, string] {
  const match = /^([\s\S]*)\n\[\.\.\. ([\d,]+) characters omitted \.\.\.\]\n([\s\S]*)$/.exec(shown)
  return match ? [match[1]!, Number(match[2]!.replaceAll(',', '')), match[3]!] : [shown, 0, '']
}
