import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { KeySplitter } from './key-splitter.ts'
import type { TerminalResponse } from './match-sequence.ts'

const start = '\x1b[200~'
const end = '\x1b[201~'

function split(...chunks: string[]): string[] {
  const splitter = new KeySplitter()
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.flush()]
}

describe('keys', () => {
  test.each<[string, string[], string[]]>([
    ['text and Enter in one read', ['hello\r'], ['hello', '\r']],
    ['control characters', ['a\x01b\tc\x7f\x7f'], ['a', '\x01', 'b', '\t', 'c', '\x7f', '\x7f']],
    ['two lines, typed quickly', ['one\rtwo\r'], ['one', '\r', 'two', '\r']],
    ['arrows', ['\x1b[A\x1bOB\x1b[1;3C\x1b\x1b[D'], ['\x1b[A', '\x1bOB', '\x1b[1;3C', '\x1b\x1b[D']],
    ['Alt', ['\x1bb\x1b\r\x1bä'], ['\x1bb', '\x1b\r', '\x1bä']],
    ['Escape', ['\x1b'], ['\x1b[27u']],
    ['Escape twice', ['\x1b\x1b'], ['\x1b[27u', '\x1b[27u']],
    ['Escape and a key with Alt', ['\x1b\x1bx'], ['\x1b[27u', '\x1bx']],
    ['a sequence in parts', ['\x1b', '[1', ';5', 'D'], ['\x1b[1;5D']],
    ['an unfinished sequence', ['\x1b[1;'], []],
    ['Alt with the start of a sequence', ['\x1b['], ['\x1b[91;3u']],
    ['Alt+] and a digit', ['\x1b]1'], ['\x1b[93;3u', '1']],
    ['old function keys', ['\x1b[[A\x1b[3$x'], ['\x1b[[A', '\x1b[3$', 'x']],
    ['Shift+Enter of xterm and tmux', ['\x1b[27;2;13~'], ['\x1b[13;2u']],
    ['the number pad', ['\x1b[57404u\x1b[57409;129u'], ['5', '.']],
    ['the number pad with Ctrl', ['\x1b[57404;5u'], ['\x1b[57404;5u']],
    ['Enter of the number pad', ['\x1b[57414;2u'], ['\x1b[57414;2u']],
    ['the reply to the kitty query', ['\x1b[?1u'], ['\x1b[?1u']],
    ['the background colour', ['a\x1b]11;rgb:0000/0000/0000\x1b\\b'], ['a', 'b']],
    ['the background colour in parts', ['\x1b]11;rgb:0000', '/0000/0000\x07x'], ['x']],
    ['the version', ['\x1bP>|tmux 3.4\x1b\\'], []],
  ])('%s', (_, chunks, expected) => {
    expect(split(...chunks)).toEqual(expected)
  })
})

describe('pastes', () => {
  test.each<[string, string[], string[]]>([
    ['with line ends', [`a${start}b\rc${end}d`], ['a', `${start}b\rc${end}`, 'd']],
    ['in parts', ['\x1b[20', '0~one', ' two\x1b[2', '01~', '\r'], [`${start}one two${end}`, '\r']],
    ['with control sequences', [`${start}\x1b[31m\x1b[20 ${end}`], [`${start}\x1b[31m\x1b[20 ${end}`]],
    ['two', [`${start}a${end}${start}b${end}`], [`${start}a${end}`, `${start}b${end}`]],
    ['of a terminal that does not mark them', ['one\ntwo\nthree\n'], [`${start}one\ntwo\nthree\n${end}`]],
  ])('%s', (_, chunks, expected) => {
    expect(split(...chunks)).toEqual(expected)
  })

  test('whose end was lost is ended by Ctrl-C, but only after a pause', () => {
    const splitter = new KeySplitter()
    expect([splitter.push(`${start}abc`), splitter.push('\x03')]).toEqual([[], []])
    expect([splitter.waitMs, splitter.flush(), splitter.waitMs]).toEqual([1_000, [], null])
    expect(splitter.push('\x03')).toEqual([`${start}abc\x03${end}`, '\x03'])
    expect(splitter.push('d')).toEqual(['d'])
  })

  test('take linear time', () => {
    const splitter = new KeySplitter()
    splitter.push(start)
    for (let index = 0; index < 20_000; index++) expect(splitter.push('x'.repeat(500))).toEqual([])
    expect(splitter.push(end)).toHaveLength(1)
  })

  test('a paste that is too long is cut, so that memory is bounded', () => {
    const splitter = new KeySplitter()
    splitter.push(start)
    for (let index = 0; index < 1_300; index++) expect(splitter.push('z'.repeat(4_096))).toEqual([])
    const [paste] = splitter.push(end)
    expect(paste!.length).toBe(1_000_001 + start.length + end.length)
  })
})

function open() {
  const responses: TerminalResponse[] = []
  const splitter = new KeySplitter((response) => responses.push(response))
  splitter.expected = 1
  return { responses, splitter }
}

const background = '\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\'

describe('what the terminal sends by itself', () => {
  test.each([
    ['a colour that ends with a bell', '\x1b]11;rgb:ffff/ffff/ffff\x07', ']', '11;rgb:ffff/ffff/ffff'],
    ['a colour that ends with ST', background, ']', '11;rgb:1e1e/1e1e/2e2e'],
    ['device attributes', '\x1b[?62;4;22c', '[', '?62;4;22c'],
    ['secondary device attributes', '\x1b[>41;354;0c', '[', '>41;354;0c'],
    ['a mode report', '\x1b[?2026;2$y', '[', '?2026;2$y'],
    ['a change between dark and light', '\x1b[?997;1n', '[', '?997;1n'],
    ['focus', '\x1b[I', '[', 'I'],
    ['loss of focus', '\x1b[O', '[', 'O'],
    ['its version', '\x1bP>|XTerm(367)\x1b\\', 'P', '>|XTerm(367)'],
    ['a graphics answer', '\x1b_Gi=31;OK\x1b\\', '_', 'Gi=31;OK'],
    ['the clipboard', '\x1b]52;c;aGVsbG8=\x07', ']', '52;c;aGVsbG8='],
  ])('%s is not typed', (_, text, introducer, body) => {
    const { splitter, responses } = open()
    expect(splitter.push(`a${text}b`)).toEqual(['a', 'b'])
    expect(splitter.push('\x1b')).toEqual([])
    expect(splitter.push(text)).toEqual(['\x1b[27u'])
    expect(responses).toEqual([
      { introducer, body },
      { introducer, body },
    ])
    expect(splitter.waitMs).toBeNull()
  })

  test('a paste may contain it', () => {
    const { splitter, responses } = open()
    const paste = `${start}a${background}\x1b[?62c${end}`
    expect([splitter.push(paste), responses]).toEqual([[paste], []])
  })

  test.each(['\x1b]11;rgb:ff', '\x1b[?62;', '\x1bP>|X'])('Ctrl-C in the middle of %j is a key', (text) => {
    const { splitter, responses } = open()
    expect([splitter.push(`${text}\x03a`), responses]).toEqual([['\x03', 'a'], []])
  })

  test.each(['\x1b]11;rgb:ff', '\x1b[?62;', '\x1bP>|XTerm', '\x1b]11;rgb:ff/ff/ff\x1b'])(
    '%j without an end is dropped',
    (text) => {
      const { splitter } = open()
      expect(splitter.push(text)).toEqual([])
      expect(splitter.waitMs).toBe(500)
      expect(splitter.flush()).toEqual([])
      expect(splitter.push('abc')).toEqual(['abc'])
    },
  )

  test('without an end, it does not swallow what is typed next, and is bounded', () => {
    const { splitter } = open()
    expect([splitter.push('\x1b]11;rgb:ff'), splitter.push('hello')]).toEqual([[], ['hello']])
    splitter.push('\x1b]52;c;')
    for (let i = 0; i < 8; i++) splitter.push('a'.repeat(1_000))
    expect(splitter.waitMs).toBeNull()
  })

  test('is also dropped if its first character was taken for Escape, while an answer is expected', () => {
    const { splitter, responses } = open()
    expect([splitter.push('\x1b'), splitter.flush(), splitter.push(background.slice(1))]).toEqual([
      [],
      ['\x1b[27u'],
      [],
    ])
    expect(responses).toHaveLength(1)
    splitter.expected = 0
    expect([splitter.push('\x1b'), splitter.flush(), splitter.push(']11;')]).toEqual([
      [],
      ['\x1b[27u'],
      [']11;'],
    ])
  })

  test('keys and responses are told apart wherever they are split', () => {
    const keys = fc.constantFrom(
      ...['a', 'é', '漢', '😀', '\r', '\x7f', '\x03', '\x1ba', '\x1b[A', '\x1b[1;5C', '\x1bOP', '\x1b[97;5u'],
      ...['\x1b[?1u', '\x1b\x1b[B', `${start}pasted\n\x1b]11;x\x07${end}`, `${start}${end}`],
    )
    const answers = fc.constantFrom(
      ...[background, '\x1b]11;rgb:ff/ff/ff\x07', '\x1b[?1;2c', '\x1b[>0;276;0c', '\x1b[I', '\x1b[O'],
      ...['\x1bP1$r0m\x1b\\', '\x1b_GOK\x1b\\', '\x1b[?2026;1$y', '\x1b]4;1;rgb:0/0/0\x07'],
    )
    const parts = fc.array(
      fc.oneof(
        keys.map((text) => [text, text] as const),
        answers.map((text) => [text, ''] as const),
      ),
    )
    fc.assert(
      fc.property(parts, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (written, lengths) => {
        const { splitter, responses } = open()
        const all = written.map(([text]) => text).join('')
        let typed = ''
        for (let at = 0, i = 0; at < all.length; i++) {
          const length = lengths[i % lengths.length]!
          typed += splitter.push(all.slice(at, at + length)).join('')
          at += length
        }
        expect(typed + splitter.flush().join('')).toBe(written.map(([, text]) => text).join(''))
        expect(responses).toHaveLength(written.filter(([, text]) => text === '').length)
      }),
      { numRuns: scaled(3_000) },
    )
  })
})

test('it makes no difference where the reads end, except for unmarked lines', () => {
  const part = fc.constantFrom(
    'hello',
    '\r',
    '\t',
    '\x7f',
    '\x1b[A',
    '\x1bOH',
    '\x1b[1;5D',
    '\x1bb',
    '\x1b[13;2u',
    `${start}x\ry${end}`,
    '你😀',
  )
  const input = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(input, fc.array(fc.nat(40)), (whole, cuts) => {
      const at = [0, ...cuts.filter((cut) => cut <= whole.length).sort((a, b) => a - b), whole.length]
      const chunks = at.slice(1).map((cut, index) => whole.slice(at[index]!, cut))
      const flatten = (events: string[]): string => events.join('')
      expect(
        flatten(split(...chunks))
          .replaceAll(start, '')
          .replaceAll(end, ''),
      ).toBe(whole.replaceAll(start, '').replaceAll(end, ''))
    }),
    { numRuns: scaled(500) },
  )
})

test('any input is split without an error, and nothing stays behind', () => {
  const unit = fc.oneof(
    fc.constantFrom('\x1b', '[', ']', 'P', 'O', '1', ';', '\\', '\x07', '~', 'u', '\r'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  )
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 20 })), (chunks) => {
      const splitter = new KeySplitter()
      for (const chunk of chunks) for (const event of splitter.push(chunk)) expect(event).not.toBe('')
      splitter.flush()
      expect(splitter.waitMs).toBe(null)
    }),
    { numRuns: scaled(500) },
  )
})
