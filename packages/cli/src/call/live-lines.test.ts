import { describe, expect, it } from 'vitest'
import { cut, cutStart } from '../terminal.ts'
import { LiveLines } from './live-lines.ts'

describe('LiveLines', () => {
  const run = (...pieces: string[]): [string, string] => {
    const lines = new LiveLines()
    return [pieces.map((piece) => lines.push(piece)).join(''), lines.partial]
  }

  it.each<[string, string[], string, string]>([
    ['returns complete lines and keeps the rest', ['one\ntw', 'o\nthr'], 'one\ntwo\n', 'thr'],
    ['removes a control sequence split across chunks', ['\u001b[3', '2mgreen\u001b[0m\n'], 'green\n', ''],
    ['removes a title split across chunks', ['\u001b]0;ti', 'tle\u0007after\n'], 'after\n', ''],
    ['keeps the last version of an overwritten line', ['10%\r', '50%\r', '100%\n'], '100%\n', ''],
    ['shows the current version of an overwritten line', ['10%\r50%'], '', '50%'],
    ['shows a line that ends with a carriage return', ['10%\r', '50%\r'], '', '50%'],
    ['accepts Windows line endings', ['a\r\nb\r', '\nc'], 'a\nb\n', 'c'],
    ['removes bells and backspaces', ['a\u0007b\u0008c\n'], 'abc\n', ''],
  ])('%s', (_name, pieces, whole, partial) => {
    expect(run(...pieces)).toEqual([whole, partial])
  })
})

describe('cut', () => {
  it('counts columns, not characters', () => {
    expect(cut('日本語テスト', 7)).toBe('日本語…')
    expect(cut('日本語', 6)).toBe('日本語')
    expect(cut('e\u0301e\u0301', 2)).toBe('e\u0301e\u0301')
    expect(cut('abcdef', 4)).toBe('abc…')
    expect(cutStart('abcdef', 4)).toBe('…def')
    expect(cutStart('xyze\u0301', 3)).toBe('…ze\u0301')
  })
})
