/**
 * The number of columns of a UTF-16 code unit that is a grapheme of its own wherever only such code units surround it; 0 for all others:
 * they need the rules of Unicode.
 */
export function simpleColumns(code: number): 0 | 1 | 2 {
  if (code < 0x7f) return code < 0x20 ? 0 : 1
  table ??= createTable()
  return table[code] as 0 | 1 | 2
}

let table: Uint8Array | undefined

/** Letters of Europe, punctuation, arrows, boxes, symbols that are no emoji, Braille (spinners). */
const narrow: readonly (readonly [number, number])[] = [
  [0xa0, 0xac],
  [0xae, 0x2ff],
  [0x370, 0x482],
  [0x48a, 0x52f],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x20a0, 0x20bf],
  [0x2190, 0x2319],
  [0x2400, 0x2426],
  [0x2460, 0x25fc],
  [0x2701, 0x2704],
  [0x2706, 0x2709],
  [0x270c, 0x2727],
  [0x2729, 0x274b],
  [0x2756, 0x2756],
  [0x2758, 0x2794],
  [0x2798, 0x27af],
  [0x27c0, 0x28ff],
]
/** Chinese, Japanese and Korean without combining characters. */
const wide: readonly (readonly [number, number])[] = [
  [0x3001, 0x3029],
  [0x3041, 0x3096],
  [0x309b, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xff01, 0xff60],
]

function createTable(): Uint8Array {
  const columns = new Uint8Array(0x10000)
  for (const [first, last] of narrow) columns.fill(1, first, last + 1)
  for (const [first, last] of wide) columns.fill(2, first, last + 1)
  return columns
}
