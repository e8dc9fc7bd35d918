import fc from 'fast-check'

/** A generated folder: contents by path. */
export type Tree = Readonly<Record<string, Buffer>>

export interface SearchCase {
  readonly tree: Tree
  readonly isRepository: boolean
  readonly searches: readonly SearchParams[]
}

export interface SearchParams {
  readonly pattern: string
  readonly path: string
  readonly globs: readonly string[]
  readonly literal: boolean
  readonly ignore_case: boolean
  readonly include_hidden: boolean
  readonly context_lines: number
  readonly max_results: number
}

const folderName = fc.constantFrom('a', 'b', 'src', 'lib', 'node_modules', '.hidden', 'x y', 'ü', 'A', 'a-b')
const fileName = fc.constantFrom(
  'a.ts',
  'b.ts',
  'main.js',
  'log',
  'x.log',
  '.env',
  '.dot.ts',
  'key.pem',
  '{x}.ts',
  'ä.md',
  'a b.ts',
  '[1].ts',
)
const ignoreName = fc.constantFrom('.gitignore', '.gitignore', '.ignore', '.rgignore')
const folder = fc.array(folderName, { maxLength: 3 }).map((names) => names.map((name) => `${name}/`).join(''))

const word = fc.constantFrom(
  'foo',
  'bar',
  'Foo',
  'FOO',
  'fo',
  'a1',
  '_x',
  'é',
  'ÉCOLE',
  'straße',
  '日本',
  '😀',
  'K',
  'ſ',
  '{',
  '}',
  '(',
  '.',
  '',
  ' ',
  '\t',
  '  ',
  '-',
  '\\',
  'function',
  '\u00a0',
  '\u2028',
)
const textLine = fc.array(word, { maxLength: 6 }).map((words) => Buffer.from(words.join('')))
const longLine = fc
  .tuple(fc.nat(300), word, fc.nat(300))
  .map(([before, text, after]) => Buffer.from(`${'x '.repeat(before / 2)}${text}${'é '.repeat(after / 2)}`))
const line = fc.oneof({ weight: 20, arbitrary: textLine }, { weight: 1, arbitrary: longLine })
const content = fc
  .tuple(
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n')), { maxLength: 12 }),
    fc.boolean(),
    fc.nat(19),
  )
  .map(([lines, endsWithBreak, kind]) => {
    const joined = Buffer.concat(lines.flatMap(([text, end]) => [text, Buffer.from(end)]))
    const bytes = endsWithBreak ? joined : Buffer.concat([joined, Buffer.from('foo')])
    if (kind === 0) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
    if (kind === 1) return Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le')
    if (kind === 2) return Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le').swap16()
    if (kind === 3) return Buffer.concat([bytes, Buffer.from('foo\0\nfoo\n')])
    // Ripgrep finds the NUL only after it has found matches.
    if (kind === 4) return Buffer.concat([bytes, Buffer.alloc(150_000, 'foo\nbar '), Buffer.from('\0')])
    return bytes
  })

const ignoreLine = fc.oneof(
  fc.constantFrom(
    '*.log',
    'node_modules/',
    'log',
    '/a',
    'a/',
    'src/*.ts',
    '**/b',
    'b/**',
    '/src/**/a.ts',
    '!a.ts',
    '!x.log',
    '!.hidden',
    '.*',
    '!.env',
    '*',
    '!*/',
  ),
  fc.constantFrom(
    '# comment',
    '',
    '\\#x',
    '\\!x',
    'x.log ',
    'a\\ b.ts',
    '[ab].ts',
    '[!a].ts',
    '[',
    '*.{ts,js}',
    '{a,b',
    'foo{,x}',
    '?.ts',
    'a?b.ts',
    'lib/',
    'a/b',
    'ü',
    '/ü/',
    '**',
    'a/**/b.ts',
    '*a*',
    'A',
    '!/src',
    'src/',
    '[a-c].ts',
    '\\{x}.ts',
    'x\\',
  ),
  fc
    .array(fc.constantFrom('a', 'b', 'src', '*', '**', '?', '.ts', '/', '!', '[a-b]', '.'), {
      minLength: 1,
      maxLength: 5,
    })
    .map((parts) => parts.join('')),
)
const ignoreFile = fc
  .tuple(fc.array(ignoreLine, { maxLength: 5 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => Buffer.from(lines.join(end)))

const tree = fc
  .tuple(
    fc.array(fc.tuple(folder, fileName, content), { minLength: 1, maxLength: 25 }),
    fc.array(fc.tuple(folder, ignoreName, ignoreFile), { maxLength: 4 }),
    fc.option(fc.tuple(folder, ignoreFile), { nil: null }),
  )
  .map(([files, ignoreFiles, repository]): Tree => {
    const found: Record<string, Buffer> = {}
    for (const [parent, name, bytes] of [...files, ...ignoreFiles]) found[parent + name] = bytes
    // A repository inside of the folder.
    if (repository !== null) found[`${repository[0]}.git/info/exclude`] = repository[1]
    return found
  })

/** A pattern in the syntax that both ways to search share. */
const atom: fc.Arbitrary<string> = fc.constantFrom(
  ...['foo', 'f', 'o', 'a', '1', 'é', 'É', '日', '😀', 'K', 'ß', ' ', '-', '.', '.', '{', '}', '^', '$'],
  ...['\\.', '\\(', '\\{', '\\\\', '\\d', '\\D', '\\s', '\\S', '\\x41', '\\u00e9', '\\t'],
  ...['[a-f]', '[^o]', '[^a-z ]', '[éa]', '[\\d-]', '[^\\s]', '[^\\n{]', '[😀\\]]'],
)
const { expression } = fc.letrec<{ expression: string; repeated: string; group: string; sequence: string }>(
  (tie) => ({
    // No unlimited repetitions of groups, which can take forever without ripgrep.
    repeated: fc.oneof(
      {
        weight: 5,
        arbitrary: fc
          .tuple(atom, fc.constantFrom('', '', '', '', '*', '+', '?', '*?', '+?', '{2}', '{0,2}', '{1,}'))
          .map(([text, repetition]) => text + repetition),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(tie('group'), fc.constantFrom('', '', '?', '{2}'))
          .map(([text, repetition]) => text + repetition),
      },
    ),
    group: fc
      .tuple(fc.constantFrom('(', '(?:'), tie('expression'))
      .map(([open, inner]) => `${open}${inner})`),
    sequence: fc.array(tie('repeated'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: tie('sequence') },
      { weight: 1, arbitrary: fc.tuple(tie('sequence'), tie('sequence')).map(([a, b]) => `${a}|${b}`) },
    ),
  }),
)
const flagged = fc.tuple(fc.nat(9), expression).map(([flag, text]) => (flag === 0 ? `(?i)${text}` : text))

const globs = fc.array(
  fc.constantFrom(
    '*.ts',
    '**/*.ts',
    'src/**',
    'a/*.ts',
    '*.{ts,js}',
    '.env',
    '.hidden/**',
    '!*.log',
    '!a',
    '[ab].ts',
    '?.ts',
    'a b.ts',
    '\\{x}.ts',
    'lib/',
    'ü/**',
    '*',
  ),
  { maxLength: 2 },
)

const params: fc.Arbitrary<SearchParams> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.tuple(flagged, fc.constant(false)) },
      {
        weight: 1,
        arbitrary: fc.tuple(
          word.filter((text) => !/^\r?$/.test(text)),
          fc.constant(true),
        ),
      },
    ),
    fc.record({
      path: fc.oneof(
        { weight: 3, arbitrary: fc.constant('.') },
        { weight: 1, arbitrary: fc.constantFrom('a', 'src', 'src/a', '.hidden', 'node_modules') },
      ),
      globs,
      ignore_case: fc.boolean(),
      include_hidden: fc.boolean(),
      context_lines: fc.constantFrom(0, 0, 1, 3),
      max_results: fc.constantFrom(1, 3, 100, 1_000),
    }),
  )
  .map(([[pattern, literal], other]) => ({ ...other, pattern, literal }))

export const searchCase: fc.Arbitrary<SearchCase> = fc.record({
  tree,
  isRepository: fc.boolean(),
  searches: fc.array(params, { minLength: 4, maxLength: 4 }),
})
