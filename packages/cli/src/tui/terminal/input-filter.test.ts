import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { InputFilter } from './input-filter.ts'
import type { TerminalResponse } from './match-sequence.ts'

function open() {
  const responses: TerminalResponse[] = []
  const filter = new InputFilter((response) => responses.push(response))
  filter.expected = 1
  return { responses, filter }
}

const background = '\u001b]11;rgb:1e1e/1e1e/2e2e\u001b\\'

describe('what the terminal sends by itself', () => {
  it.each([
    ['a colour that ends with a bell', '\u001b]11;rgb:ffff/ffff/ffff\u0007', ']', '11;rgb:ffff/ffff/ffff'],
    ['a colour that ends with ST', background, ']', '11;rgb:1e1e/1e1e/2e2e'],
    ['device attributes', '\u001b[?62;4;22c', '[', '?62;4;22c'],
    ['secondary device attributes', '\u001b[>41;354;0c', '[', '>41;354;0c'],
    ['a mode report', '\u001b[?2026;2$y', '[', '?2026;2$y'],
    ['a change between dark and light', '\u001b[?997;1n', '[', '?997;1n'],
    ['focus', '\u001b[I', '[', 'I'],
    ['loss of focus', '\u001b[O', '[', 'O'],
    ['its version', '\u001bP>|XTerm(367)\u001b\\', 'P', '>|XTerm(367)'],
    ['a graphics answer', '\u001b_Gi=31;OK\u001b\\', '_', 'Gi=31;OK'],
    ['the clipboard', '\u001b]52;c;aGVsbG8=\u0007', ']', '52;c;aGVsbG8='],
  ])('%s is not typed', (_, text, introducer, body) => {
    const { filter, responses } = open()
    expect(filter.push(`a${text}b`)).toBe('ab')
    expect(responses).toEqual([{ introducer, body }])
    expect(filter.waitMs).toBeNull()
  })
})

describe('what is typed', () => {
  it.each([
    ['letters', 'größe 漢字 👨\u200d👩'],
    ['arrows and function keys', '\u001b[A\u001b[1;5C\u001bOP\u001b[15~\u001b[[A'],
    ['Alt and a letter', '\u001ba\u001bé\u001bP\u001bx'],
    ['Alt+] and letters', '\u001b]abc'],
    ['Escape twice, and Alt and an arrow', '\u001b\u001ba\u001b\u001b[A'],
    ['keys of the kitty protocol, and the answer that Ink waits for', '\u001b[97;5u\u001b[?1u'],
    ['control characters', '\u0001\u0003\r\u007f\t'],
    ['a paste that contains a response', `\u001b[200~a${background}\u001b[?62c\u001b[201~`],
  ])('is kept: %s', (_, text) => {
    const { filter, responses } = open()
    expect(filter.push(`${text}z`)).toBe(`${text}z`)
    expect(responses).toEqual([])
  })

  it.each([
    ['Escape', '\u001b'],
    ['Alt+[', '\u001b['],
    ['Alt+]', '\u001b]'],
    ['Alt+] and a digit', '\u001b]1'],
    ['half an arrow key', '\u001b[1;5'],
  ])('%s is waited for, but not for long', (_, text) => {
    const { filter } = open()
    expect(filter.push(`a${text}`)).toBe('a')
    expect(filter.waitMs).toBeLessThanOrEqual(30)
    expect(filter.flush()).toBe(text)
    expect(filter.waitMs).toBeNull()
    expect(filter.push('b')).toBe('b')
    filter.expected = 0
    filter.push(text)
    expect(filter.waitMs).toBe(0)
  })

  it('Ctrl-C in the middle of a response is a key', () => {
    for (const response of ['\u001b]11;rgb:ff', '\u001b[?62;', '\u001bP>|X']) {
      const { filter, responses } = open()
      expect(filter.push(`${response}\u0003a`)).toBe('\u0003a')
      expect(responses).toEqual([])
    }
  })
})

describe('a response without an end', () => {
  it.each(['\u001b]11;rgb:ff', '\u001b[?62;', '\u001bP>|XTerm', '\u001b]11;rgb:ff/ff/ff\u001b'])(
    '%j is dropped',
    (text) => {
      const { filter } = open()
      expect(filter.push(text)).toBe('')
      expect(filter.waitMs).toBeGreaterThan(100)
      expect(filter.flush()).toBe('')
      expect(filter.push('abc')).toBe('abc')
    },
  )

  it('does not swallow what is typed next', () => {
    const { filter } = open()
    expect(filter.push('\u001b]11;rgb:ff')).toBe('')
    expect(filter.push('hello')).toBe('hello')
  })

  it('is bounded', () => {
    const { filter } = open()
    filter.push('\u001b]52;c;')
    for (let i = 0; i < 8; i++) filter.push('a'.repeat(1_000))
    expect(filter.waitMs).toBeNull()
  })

  it('is also dropped if its first character was taken for Escape, while an answer is expected', () => {
    const { filter, responses } = open()
    expect([filter.push('\u001b'), filter.flush(), filter.push(background.slice(1))]).toEqual([
      '',
      '\u001b',
      '',
    ])
    expect(responses).toHaveLength(1)
    filter.expected = 0
    expect([filter.push('\u001b'), filter.flush(), filter.push(']11;')]).toEqual(['', '\u001b', ']11;'])
  })
})

describe('a paste', () => {
  const whole = '\u001b[200~one\ntwo\u001b[201~'

  it('is returned as a whole, wherever it is split', () => {
    for (let at = 1; at < whole.length; at++) {
      const { filter } = open()
      expect(filter.push(whole.slice(0, at))).toBe('')
      expect(filter.push(`${whole.slice(at)}x`)).toBe(`${whole}x`)
    }
  })

  it('takes linear time', () => {
    const { filter } = open()
    filter.push('\u001b[200~')
    for (let i = 0; i < 20_000; i++) expect(filter.push('x'.repeat(500))).toBe('')
    expect(filter.push('\u001b[201~').length).toBe(20_000 * 500 + 12)
  })

  it('whose end was lost is ended by Ctrl-C, but only after a pause', () => {
    const { filter } = open()
    expect(filter.push('\u001b[200~abc')).toBe('')
    expect(filter.push('\u0003')).toBe('')
    expect([filter.waitMs, filter.flush(), filter.waitMs]).toEqual([1_000, '', null])
    expect(filter.push('\u0003')).toBe('\u001b[200~abc\u0003\u001b[201~\u0003')
    expect(filter.push('d')).toBe('d')
  })
})

const keys = fc.constantFrom(
  ...['a', 'Z', ' ', 'é', '漢', '😀', '\r', '\t', '\u007f', '\u0003', '\u001b', '\u001ba', '\u001bx'],
  ...[
    '\u001b[A',
    '\u001b[1;5C',
    '\u001bOP',
    '\u001b[15~',
    '\u001b[Z',
    '\u001b[97;5u',
    '\u001b[?1u',
    '\u001b\u001b[B',
  ],
  ...['\u001b[200~pasted\n\u001b]11;x\u0007\u001b[201~', '\u001b[200~\u001b[201~'],
)
const responses = fc.constantFrom(
  ...[background, '\u001b]11;rgb:ff/ff/ff\u0007', '\u001b[?1;2c', '\u001b[>0;276;0c', '\u001b[I', '\u001b[O'],
  ...['\u001bP1$r0m\u001b\\', '\u001b_GOK\u001b\\', '\u001b[?2026;1$y', '\u001b]4;1;rgb:0/0/0\u0007'],
)

it('any pieces of keys and responses yield exactly the keys', () => {
  const parts = fc.array(
    fc.oneof(
      keys.map((text) => [text, text] as const),
      responses.map((text) => [text, ''] as const),
    ),
  )
  fc.assert(
    fc.property(parts, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (written, lengths) => {
      const { filter, responses } = open()
      const all = written.map(([text]) => text).join('')
      let typed = ''
      for (let at = 0, i = 0; at < all.length; i++) {
        const length = lengths[i % lengths.length]!
        typed += filter.push(all.slice(at, at + length))
        at += length
      }
      expect(typed + filter.flush()).toBe(written.map(([, text]) => text).join(''))
      expect(responses).toHaveLength(written.filter(([, text]) => text === '').length)
    }),
    { numRuns: scaled(3_000) },
  )
})

it('never throws, and never returns more than it got', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('x', '\u001b'))),
      (pieces) => {
        const { filter } = open()
        const typed = pieces.map((piece) => filter.push(piece)).join('') + filter.flush()
        expect(typed.length).toBeLessThanOrEqual(pieces.join('').length)
      },
    ),
    { numRuns: scaled(1_000) },
  )
})
