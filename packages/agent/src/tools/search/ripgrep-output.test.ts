import { expect, test } from 'vitest'
import { MatchCollector } from './match-collector.ts'
import { RipgrepOutput } from './ripgrep-output.ts'

const output = Buffer.from(
  [
    './a.ts\x001\x003\x00a foo\n2-context\n3\x00without a column: 5\n',
    '\n./new\nline.ts\x0012\x001\x00foo\r\n',
    '\n./binary\x001\x001\x00foo\n./binary: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n',
    '\n./b.ts\x007\x001\x00./x\x2d é\n',
  ].join(''),
)

const collect = (chunks: readonly Buffer[], max = 100) => {
  const collector = new MatchCollector({ max, context: 1, accepts: (path) => path !== 'secret' })
  const reader = new RipgrepOutput(collector, max)
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return collector.finish()
}

test('reads files, matches and context, and drops binary files', () => {
  expect(collect([output])).toEqual({
    matches: 4,
    fileCount: 3,
    files: [
      {
        path: 'a.ts',
        count: 2,
        lines: [
          { number: 1, text: 'a foo', isMatch: true },
          { number: 2, text: 'context', isMatch: false },
          { number: 3, text: 'without a column: 5', isMatch: true },
        ],
      },
      { path: 'b.ts', count: 1, lines: [{ number: 7, text: './x- é', isMatch: true }] },
      { path: 'new\nline.ts', count: 1, lines: [{ number: 12, text: 'foo', isMatch: true }] },
    ],
  })
})

test('chunks may end anywhere', () => {
  const whole = collect([output])
  for (let at = 0; at <= output.length; at++)
    expect(collect([output.subarray(0, at), output.subarray(at)])).toEqual(whole)
  expect(collect([...output].map((byte) => Buffer.of(byte)))).toEqual(whole)
})

test('keeps the first matches by path, and counts all', () => {
  const found = collect([output], 1)
  expect(found).toMatchObject({ matches: 4, fileCount: 3 })
  expect(found.files.map(({ path, lines }) => [path, lines.length])).toEqual([['a.ts', 2]])
})

test('a file that is not accepted is not counted, and a line of 100 MB is dropped', () => {
  const long = Buffer.alloc(1 << 20, 'x')
  const chunks = [
    Buffer.from('./secret\x001\x001\x00foo\n\n./long\x001\x001\x00'),
    ...Array.from({ length: 100 }, () => long),
    Buffer.from('\n\n./a\x001\x001\x00foo\n'),
  ]
  expect(collect(chunks)).toMatchObject({ matches: 1, files: [{ path: 'a' }] })
})
