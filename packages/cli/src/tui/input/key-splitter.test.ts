import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { KeySplitter } from './key-splitter.ts'

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
    ['whose end got lost, then Ctrl-C', [`${start}abc`, 'd', '\x03'], [`${start}abcd${end}`, '\x03']],
  ])('%s', (_, chunks, expected) => {
    expect(split(...chunks)).toEqual(expected)
  })

  test('a paste that is too long is cut, so that memory is bounded', () => {
    const splitter = new KeySplitter()
    splitter.push(start)
    for (let index = 0; index < 1_300; index++) expect(splitter.push('z'.repeat(4_096))).toEqual([])
    const [paste] = splitter.push(end)
    expect(paste!.length).toBe(1_000_001 + start.length + end.length)
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
      expect(splitter.waitsFor).toBe(null)
    }),
    { numRuns: scaled(500) },
  )
})
