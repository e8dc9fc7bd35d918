import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../../../test/support/scaled.ts'
import { applyEdits, type TextEdit } from './apply-edits.ts'

const edit = (old_string: string, new_string: string, replace_all = false): TextEdit => ({
  old_string,
  new_string,
  replace_all,
})

/** Few different characters, so that strings occur, several times and overlapping. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 30 })
const anyEdit = fc.record({
  old_string: fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 3 }),
  new_string: fc.string({ unit: fc.constantFrom('a', 'c', '\n'), maxLength: 3 }),
  replace_all: fc.boolean(),
})

/** The same for line feeds only, by splitting. */
function model(start: string, edits: readonly TextEdit[]): string | null {
  let result = start
  for (const { old_string, new_string, replace_all } of edits) {
    const parts = result.split(old_string)
    if (old_string === new_string || parts.length === 1 || (parts.length > 2 && !replace_all)) return null
    result = parts.join(new_string)
  }
  return result
}

const textOf = (result: ReturnType<typeof applyEdits>) => ('text' in result ? result.text : null)
const crlf = (one: string) => one.replaceAll('\n', '\r\n')

test('any edits have the result of the model', () => {
  fc.assert(
    fc.property(text, fc.array(anyEdit, { minLength: 1, maxLength: 4 }), (start, edits) => {
      expect(textOf(applyEdits(start, edits))).toBe(model(start, edits))
    }),
    { numRuns: scaled(1_000) },
  )
})

test('with CRLF, in the text or in the edits, the result is the same with CRLF', () => {
  fc.assert(
    fc.property(text, fc.array(anyEdit, { minLength: 1, maxLength: 4 }), (start, edits) => {
      fc.pre(start.includes('\n'))
      // Without any line ending left, there is nothing to keep.
      let between: string | null = start
      for (const one of edits) {
        between = between === null ? null : model(between, [one])
        fc.pre(between === null || between.includes('\n'))
      }
      const expected = between === null ? null : crlf(between)
      expect(textOf(applyEdits(crlf(start), edits))).toBe(expected)
      const withCrlf = edits.map((one) => edit(crlf(one.old_string), crlf(one.new_string), one.replace_all))
      expect(textOf(applyEdits(crlf(start), withCrlf))).toBe(expected)
    }),
    { numRuns: scaled(1_000) },
  )
})

test('what an edit does not touch stays as it is, with its own line endings', () => {
  const line = fc.tuple(
    fc.string({ unit: fc.constantFrom('a', 'b', '\r'), maxLength: 4 }),
    fc.constantFrom('\n', '\r\n'),
  )
  const lines = fc.array(line, { maxLength: 5 }).map((all) => all.flat().join(''))
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      // A carriage return right before the marker's line feed would be another line ending.
      const start = `${before}MARK${after}`
      expect(textOf(applyEdits(start, [edit('MARK', 'x\ny')]))).toMatch(/x\r?\ny/)
      const result = textOf(applyEdits(start, [edit('MARK', 'xy')]))!
      expect(result).toBe(`${before}xy${after}`)
    }),
    { numRuns: scaled(1_000) },
  )
})

test('new lines get the line ending of what they replace, otherwise that of most lines', () => {
  expect(textOf(applyEdits('a\r\nb\nc\n', [edit('a\nb', '1\n2\n3')]))).toBe('1\r\n2\r\n3\nc\n')
  expect(textOf(applyEdits('a\r\nb\nc\n', [edit('c', '1\n2')]))).toBe('a\r\nb\n1\n2\n')
})

const source = `function one() {
\treturn 'one'
}

function two() {
  const name = "two"
  return name
}
`

test.each([
  [
    'spaces instead of a tab',
    "  return 'one'",
    'Line 2 differs in its indentation: old_string has "  return \'one\'", the file has "\\treturn \'one\'"',
  ],
  ['blanks at the end', 'function two() {  \n  const', 'Line 5 differs in blanks at its end'],
  ['blanks inside', '  const  name="two"', 'Line 6 differs in blanks'],
  ['typographic quotes', '  const name = “two”', 'Line 6 differs in quotes, dashes or similar characters'],
  [
    'another line',
    'function two() {\n  const title = "two"\n  return name\n',
    'Line 6 differs: old_string has "  const title = \\"two\\"", the file has "  const name = \\"two\\""',
  ],
  ['line numbers', "1\tfunction one() {\n2\t\treturn 'one'", 'contains line numbers of read_file'],
  ['more than the file has', '  return name\n}\n\nmore', 'Line 9 differs: the file ends before ""'],
  ['nothing similar', 'xyzzy plugh', 'no similar lines'],
])('a near miss is explained: %s', (_, old_string, expected) => {
  const result = applyEdits(source, [edit(old_string, 'x')])
  expect('problem' in result && result.problem).toContain(expected)
})

test('the closest lines are shown with their numbers', () => {
  const result = applyEdits(source, [edit('function two() {\n  const name = "three"', 'x')])
  expect('problem' in result && result.problem).toMatch(
    /The closest lines are:\n5\tfunction two\(\) \{\n6\t {2}const name = "two"$/,
  )
})

test('explaining takes bounded time, whatever the file contains', () => {
  const start = performance.now()
  const same = '}\n'.repeat(300_000)
  const other = `${'x'.repeat(1_000)}\n`.repeat(5_000)
  for (const one of [same, other])
    applyEdits(one, [edit(`${'}\n'.repeat(5_000)}!`, ''), edit(`${'xy'.repeat(10_000)}`, '')])
  expect(performance.now() - start).toBeLessThan(20_000)
})
