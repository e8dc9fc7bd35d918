import { unfinishedFrom } from '@curfew/core/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { neutralise } from './neutralise.ts'
import { widthOf } from './text-width.ts'

describe('neutralise removes', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', 'red'],
    ['a cursor movement with private parameters', 'a\u001b[?25l\u001b[2;3Hb', 'ab'],
    ['a CSI sequence with intermediate characters', 'a\u001b[!pb\u001b[1 qc', 'abc'],
    ['a CSI sequence that is cut off', 'a\u001b[31', 'a'],
    ['an 8-bit CSI sequence', 'a\u009b31mb', 'ab'],
    ['a title, ended by a bell', 'a\u001b]0;title\u0007b', 'ab'],
    ['a link, ended by ST', '\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['a clipboard write in 8-bit form', 'a\u009d52;c;aGk=\u009cb', 'ab'],
    ['a device control string', 'a\u001bP1$r0m\u001b\\b', 'ab'],
    ['an application command', 'a\u001b_Gi=1;AAAA\u001b\\b', 'ab'],
    ['a privacy message and a start of string', 'a\u001b^secret\u001b\\\u001bXsecret\u001b\\b', 'ab'],
    ['a character set and a reset', 'a\u001b(0\u001bcb', 'ab'],
    ['a lone escape character', 'a\u001b\u001b\u001b', 'a'],
    ['bells, backspaces and DEL', 'a\u0007b\u0008c\u007fd\u0000', 'abcd'],
    ['C1 controls', 'a\u0080\u0084\u0085\u009bb', 'a'],
    ['direction overrides, isolates and marks', 'a\u202eb\u2066c\u2069\u200e\u200f\u061cd', 'abcd'],
    ['zero-width spaces, word joiners and BOMs', '\ufeffa\u200bb\u2060c', 'abc'],
    ['soft hyphens', 'co\u00adoperate', 'cooperate'],
    ['joiners between Latin letters', 'pay\u200dpal\u200c', 'paypal'],
    ['tags after a flag that does not exist', '🏴\u{e0068}\u{e0069}\u{e0021}\u{e007f}', '🏴'],
    ['tags', 'a\u{e0068}\u{e0069}\u{e0001}b', 'ab'],
    ['variation selectors, except those of emoji', 'a\ufe00\ufe0f\u{e0100}b', 'ab'],
    ['a flood of variation selectors', '❤\ufe0f\ufe0f\ufe0f\ufe0f', '❤\ufe0f'],
    ['interlinear annotations', '\ufff9a\ufffab\ufffb', 'ab'],
    ['invisible operators and fillers', 'a\u2062b\u3164c\u115fd', 'abcd'],
    ['marks beyond the sixth', `a${'\u0301'.repeat(40)}b`, `a${'\u0301'.repeat(6)}b`],
    [
      'marks that are separated by joiners',
      `é${'\u0301\u200d'.repeat(40)}b`,
      `é${'\u0301\u200d'.repeat(3)}b`,
    ],
  ])('%s', (_, text, shown) => {
    expect(neutralise(text)).toBe(shown)
  })
})

describe('neutralise replaces', () => {
  it.each([
    ['Windows and old Mac line ends', 'a\r\nb\rc', 'a\nb\nc'],
    ['other line separators', 'a\u2028b\u2029c\u000bd\u000ce', 'a\nb\nc\nd\ne'],
    ['half a character', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
    ['two halves that meet when a sequence is removed', '\ud83d\u001b[m\ude00', '\ufffd\ufffd'],
    ['noncharacters', '\ufffe\uffff\u{1fffe}', '\ufffd\ufffd\ufffd'],
  ])('%s', (_, text, shown) => {
    expect(neutralise(text)).toBe(shown)
  })
})

describe('neutralise keeps', () => {
  it.each([
    ['tabs and line feeds', 'a\tb\n'],
    ['scripts', 'größe 漢字 한국어 עברית العربية हिन्दी ไทย'],
    ['decomposed letters', 'e\u0301tude'],
    ['joiners in Persian and Hindi', 'می\u200cخواهم क्\u200dष'],
    ['joined emoji', '👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 👩🏽\u200d🚀 1\ufe0f\u20e3'],
    ['flags', '🇩🇪 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['box drawing and private use', '│ ⠋ █░ \ue0b0'],
  ])('%s', (_, text) => {
    expect(neutralise(text)).toBe(text)
  })

  it('text after a string without an end', () => {
    expect(neutralise('a\u001b]0;title\nb')).toBe('a0;title\nb')
    expect(neutralise('a\u001bPq b')).toBe('aq b')
  })
})

const hostile = fc.oneof(
  fc.constantFrom(
    ...[
      '\u001b',
      '\u001b[',
      '\u001b]0;',
      '\u001bP',
      '\u001b_',
      '\u009b',
      '\u009d',
      '\u0007',
      '\u001b\\',
      '\u009c',
    ],
    ...[
      '\r',
      '\n',
      '\t',
      '\ud83d',
      '\ude00',
      '\u200d',
      '\u200c',
      '\ufe0f',
      '\u0301',
      '\u202e',
      '\u{e0041}',
      '\u2028',
    ],
    ...['a', '1', ';', 'm', 'é', '漢', '👨', '🏽', 'ि', '\ufffe'],
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const texts = fc.array(hostile, { maxLength: 60 }).map((pieces) => pieces.join(''))

describe('for any text', () => {
  it('only harmless characters are left, and a second time changes nothing', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = neutralise(text)
        expect(shown).not.toMatch(
          /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u,
        )
        expect(shown).not.toMatch(/(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u)
        expect(shown).not.toMatch(/[\p{M}\u200c\u200d]{7}|\u200d\u200d|\ufe0f\ufe0f/u)
        expect(shown.isWellFormed()).toBe(true)
        expect(neutralise(shown)).toBe(shown)
      }),
      { numRuns: scaled(2_000) },
    )
  })

  it('cutting it where a sequence is not finished removes the same', () => {
    fc.assert(
      fc.property(texts, fc.nat(200), (written, position) => {
        // Lone halves, line ends in two pieces, and joiners and marks after another piece are up to the caller.
        const text = written.toWellFormed().replaceAll(/\r|\u200c|\u200d|\ufe0f|\u0301/g, '')
        const cutAt = unfinishedFrom(text.slice(0, position))
        const pieces = [text.slice(0, cutAt), text.slice(cutAt)]
        if (!pieces[0]!.isWellFormed()) return
        expect(pieces.map(neutralise).join('')).toBe(neutralise(text))
      }),
      { numRuns: scaled(2_000) },
    )
  })
})

it.each([
  ['starts of strings', '\u001b]'],
  ['starts of strings with content', '\u001b]0;aaaaaa'],
  ['8-bit starts of strings', '\u0090'],
  ['starts of sequences', '\u001b['],
  ['parameters', '1;'],
  ['escape characters and spaces', '\u001b '],
  ['marks', '\u0301'],
  ['six marks', 'a\u0301\u0301\u0301\u0301\u0301\u0301'],
  ['joiners', 'é\u200d'],
  ['lone halves', '\ud800'],
  ['tags', '\u{e0041}'],
])('takes linear time for many %s', (_, piece) => {
  const text = `\u001b[${piece.repeat(2_000_000 / piece.length)}é`
  const startedAt = performance.now()
  neutralise(text)
  unfinishedFrom(text)
  // Two million characters take less than 0.2 s; quadratic time would take an hour.
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})

it('a chain of joined emoji ends after the longest one that exists', () => {
  const family = '👨‍👩‍👧‍👦'
  expect(neutralise(`${family} 👩🏽‍❤️‍💋‍👨🏻`)).toBe(`${family} 👩🏽‍❤️‍💋‍👨🏻`)
  const chain = neutralise('👩\u200d'.repeat(1_000))
  expect(chain.match(/👩/gu)).toHaveLength(1_000)
  // Otherwise it would be one character that is two columns wide.
  expect(widthOf(chain)).toBeGreaterThanOrEqual(500)
  expect(widthOf(`👩${'🏽'.repeat(100)}`)).toBeGreaterThanOrEqual(200)
})
