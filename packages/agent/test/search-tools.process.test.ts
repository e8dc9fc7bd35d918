import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createWorkspace, searchTools } from '@curfew/agent/tools'
import { createRuntime, type RuntimeOptions } from '@curfew/core'
import { rgPath } from '@vscode/ripgrep'
import { describe, expect, onTestFinished, test } from 'vitest'

interface Setup {
  readonly base: string
  readonly root: string
  write(path: string, content: string | Buffer): void
  /** The text of the result; `CODE: message` of an error. */
  find(params: object): Promise<string>
  search(params: object, options?: { timeout?: number; signal?: AbortSignal }): Promise<string>
}

function setUp(ripgrep?: string | null, options: RuntimeOptions = {}): Setup {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-search-')))
  const root = join(base, 'project')
  mkdirSync(root)
  const runtime = createRuntime({ log: () => {}, ...options })
  runtime.register(searchTools(createWorkspace({ root }), { ripgrep }))
  onTestFinished(async () => {
    await runtime.close()
    rmSync(base, { recursive: true, force: true })
  })
  let id = 0
  const call = async (
    name: string,
    params: object,
    { timeout, signal }: { timeout?: number; signal?: AbortSignal } = {},
  ): Promise<string> => {
    const [result] = await runtime.execute([{ id: String(++id), name, params, timeout }], { signal })
    return result!.status === 'success' ? result!.content : `${result!.code}: ${result!.message}`
  }
  return {
    base,
    root,
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    },
    find: (params) => call('find_files', params),
    search: (params, options) => call('search_files', params, options),
  }
}

describe('find_files', () => {
  test('finds by patterns, without ignored and hidden files, sorted', async () => {
    const { write, find } = setUp()
    for (const path of [
      'b.ts',
      'a.ts',
      'src/x/c.ts',
      'src/d.js',
      'dist/e.ts',
      '.hidden/f.ts',
      '.g.ts',
      'log.ts',
    ])
      write(path, '')
    write('.gitignore', 'dist/\n')
    write('src/.gitignore', '!log.ts\n')
    write('.ignore', 'log.ts\n')
    expect(await find({ patterns: ['*.ts'] })).toBe('a.ts\nb.ts\nsrc/x/c.ts')
    expect(await find({ patterns: ['src/**/*.{ts,js}'] })).toBe('src/d.js\nsrc/x/c.ts')
    expect(await find({ patterns: ['*.ts', '.hidden/**'], include_hidden: false })).toContain('.hidden/f.ts')
    expect(await find({ patterns: ['*.ts', '!src'], include_hidden: true })).toBe(
      '.g.ts\n.hidden/f.ts\na.ts\nb.ts',
    )
    expect(await find({ patterns: ['*.ts'], path: 'dist' })).toBe('dist/e.ts')
    expect(await find({ patterns: ['*.ts'], max_results: 1 })).toBe(
      'a.ts\n\n[2 more files. Pass more specific patterns or a larger max_results.]',
    )
    expect(await find({ patterns: ['*.py'] })).toMatch(/^No file matches in \.\. Ignored and hidden files/)
  })

  test('patterns and paths that lead out are rejected', async () => {
    const { base, root, write, find } = setUp()
    write('a.ts', '')
    writeFileSync(join(base, 'outside.ts'), '')
    symlinkSync(base, join(root, 'link'))
    expect(await find({ patterns: ['../*.ts'] })).toMatch(
      /^INVALID_PARAMS: patterns: expected a pattern such as/,
    )
    expect(await find({ patterns: ['*.ts'], path: '..' })).toMatch(/^DENIED: .*outside of the workspace/)
    expect(await find({ patterns: ['*.ts'], path: 'link' })).toMatch(/^DENIED: .*outside of the workspace/)
    expect(await find({ patterns: ['*.ts'] })).toBe('a.ts')
    expect(await find({ patterns: ['*.ts'], path: 'a.ts' })).toMatch(
      /^INVALID_PARAMS: path: expected a folder/,
    )
    expect(await find({ patterns: ['*.ts'], path: 'x' })).toMatch(
      /^INVALID_PARAMS: path: expected a file or folder that exists/,
    )
  })

  test('names that are not UTF-8, or contain line breaks', async () => {
    const { root, write, find } = setUp()
    write('new\nline.ts', '')
    mkdirSync(join(root, 'ü'))
    writeFileSync(Buffer.concat([Buffer.from(`${root}/ü/`), Buffer.from([0xff]), Buffer.from('.ts')]), 'foo')
    expect(await find({ patterns: ['*.ts'] })).toBe('"new\\nline.ts"\nü/\ufffd.ts')
  })

  test('10,000 files in one folder and 1,000 folders', async () => {
    const { root, find } = setUp()
    mkdirSync(join(root, 'many'))
    for (let number = 0; number < 10_000; number++) writeFileSync(join(root, 'many', `${number}.ts`), '')
    for (let number = 0; number < 1_000; number++)
      mkdirSync(join(root, `folder${number}/a/b`), { recursive: true })
    expect(await find({ patterns: ['*.ts'], max_results: 3 })).toBe(
      'many/0.ts\nmany/1.ts\nmany/10.ts\n\n[9997 more files. Pass more specific patterns or a larger max_results.]',
    )
  })
})

describe.each([
  ['with ripgrep', rgPath, /^INVALID_PARAMS: pattern: .* ripgrep, got an error: unclosed group;/],
  [
    'without ripgrep',
    null,
    /^INVALID_PARAMS: pattern: .* without ripgrep: Unterminated group; it is turned off/,
  ],
])('search_files %s', (_name, ripgrep, unclosed) => {
  test('lines with numbers, context, globs and limits', async () => {
    const { write, search } = setUp(ripgrep)
    write('src/b.ts', 'one\ntwo foo\nthree\n4th\nfive Foo\n')
    write('src/a.ts', 'x foo(\r\ny\r\n')
    write('c.md', 'foo')
    expect(await search({ pattern: 'fo+' })).toBe(
      'c.md\n1: foo\n\nsrc/a.ts\n1: x foo(\n\nsrc/b.ts\n2: two foo\n\n[3 matching lines in 3 files]',
    )
    expect(await search({ pattern: 'foo', ignore_case: true, globs: ['*.ts'], context_lines: 1 })).toBe(
      'src/a.ts\n1: x foo(\n2- y\n\nsrc/b.ts\n1- one\n2: two foo\n3- three\n4- 4th\n5: five Foo\n\n[3 matching lines in 2 files]',
    )
    expect(await search({ pattern: 'foo(', literal: true })).toContain('1: x foo(')
    expect(await search({ pattern: '\\w', max_results: 2, path: 'src' })).toBe(
      'src/a.ts\n1: x foo(\n2: y\n\n[The first 2 of 7 matching lines in 2 files. For others, pass a more specific pattern, path or globs.]',
    )
    expect(await search({ pattern: 'e$', path: 'src/b.ts' })).toBe(
      'src/b.ts\n1: one\n3: three\n\n[2 matching lines in 1 file]',
    )
    expect(await search({ pattern: 'nothing' })).toMatch(/^No line matches in \.\./)
    expect(await search({ pattern: '(' })).toMatch(unclosed)
  })

  test('secret files, links, hidden, ignored, binary and large files are neither shown nor counted', async () => {
    const { base, root, write, search } = setUp(ripgrep)
    writeFileSync(join(base, 'outside'), 'token\n')
    symlinkSync(join(base, 'outside'), join(root, 'link'))
    symlinkSync(base, join(root, 'folder'))
    write('.env', 'token\n')
    write('server.pem', 'token\n')
    write('deep/.ssh/id_rsa', 'token\n')
    write('ignored.log', 'token\n')
    write('.gitignore', '*.log\n')
    write('binary', 'token\n\0')
    write('large', Buffer.concat([Buffer.from('token\n'), Buffer.alloc(17 * 2 ** 20, 'x\n')]))
    write('.hidden', 'token\n')
    write('plain', 'token\n')
    expect(await search({ pattern: 'token' })).toBe('plain\n1: token\n\n[1 matching line in 1 file]')
    expect(await search({ pattern: 'token', include_hidden: true })).toBe(
      '.hidden\n1: token\n\nplain\n1: token\n\n[2 matching lines in 2 files]',
    )
    for (const path of ['.env', 'deep/.ssh', 'link', 'folder', '..', '/etc/passwd'])
      expect(await search({ pattern: 'token', path })).toMatch(/^DENIED/)
    expect(await search({ pattern: 'token', path: 'large' })).toMatch(/^INVALID_PARAMS: path: .*16 MiB/)
    expect(await search({ pattern: 'token', path: 'ignored.log' })).toContain('1: token')
  })

  test('a pipe, a device or a file without permissions does not block', async () => {
    const { root, write, search } = setUp(ripgrep)
    execFileSync('mkfifo', [join(root, 'pipe'), join(root, 'sub.ts')])
    symlinkSync('/dev/zero', join(root, 'zero'))
    write('a', 'foo')
    write('denied', 'foo')
    chmodSync(join(root, 'denied'), 0)
    expect(await search({ pattern: 'foo', globs: ['a', 'pipe', '*.ts', 'zero'] })).toBe(
      'a\n1: foo\n\n[1 matching line in 1 file]',
    )
    expect(await search({ pattern: 'foo', path: 'pipe' })).toMatch(
      /^INVALID_PARAMS: path: expected a file or folder/,
    )
  })

  test('a long line is cut around the match', async () => {
    const { write, search } = setUp(ripgrep)
    write('min.js', `${'x'.repeat(1_000_000)}needle${'y'.repeat(1_000_000)}`)
    const result = await search({ pattern: 'needle' })
    expect(result).toMatch(/1: \[\.\.\.\] x+needley+ \[\.\.\.\]/)
    expect(result.length).toBeLessThan(600)
  })

  test('a result fits into what a model reads', async () => {
    const { write, search } = setUp(ripgrep)
    write('a', `${'word '.repeat(60)}\n`.repeat(2_000))
    const result = await search({ pattern: 'word', max_results: 1_000, context_lines: 3 })
    expect(result.length).toBeLessThan(65_536)
    expect(result).toMatch(/\[The first \d+ of 2000 matching lines in 1 file\./)
  })

  test('ends when it is cancelled', async () => {
    const { write, search } = setUp(ripgrep)
    write('a', 'foo')
    expect(await search({ pattern: 'foo' }, { signal: AbortSignal.timeout(0) })).toMatch(/^CANCELLED/)
  })
})

test('a pattern that takes forever ends at the limit, with advice', async () => {
  const { write, search } = setUp(null)
  write('a', `${'a'.repeat(5_000)}!\n`)
  const start = performance.now()
  expect(await search({ pattern: '^(?:a+)+$' }, { timeout: 2_000 })).toMatch(
    /^TOOL_TIMEOUT: search_files had not finished .* \(the call's limit is 2000 ms\), and was ended; search in a smaller path/,
  )
  expect(performance.now() - start).toBeLessThan(20_000)
})

test('the same pattern ends when it is cancelled', async () => {
  const { write, search } = setUp(null)
  write('a', `${'a'.repeat(5_000)}!\n`)
  expect(await search({ pattern: '^(?:a+)+$' }, { signal: AbortSignal.timeout(500) })).toMatch(/^CANCELLED/)
})

test('a ripgrep that fails or writes nonsense is replaced by our own search', async () => {
  const programs = [
    '#!/bin/sh\nexit 3',
    '#!/bin/sh\necho broken >&2; exit 2',
    '#!/bin/sh\nkill -9 $$',
    '#!/nowhere',
  ]
  for (const text of programs) {
    const base = mkdtempSync(join(tmpdir(), 'curfew-rg-'))
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
    writeFileSync(join(base, 'rg'), text, { mode: 0o755 })
    const { write, search } = setUp(join(base, 'rg'))
    write('a', 'foo')
    expect(await search({ pattern: 'foo' })).toContain('1: foo')
  }
})

test('a ripgrep inside of the workspace is not run, and no configuration applies', async () => {
  const { base, root, write, search } = setUp()
  copyFileSync(rgPath, join(base, 'rg'))
  write('bin/rg', `#!/bin/sh\ntouch ${join(root, 'was-run')}\n`)
  chmodSync(join(root, 'bin/rg'), 0o755)
  write('config', '--ignore-case\n')
  write('a', 'foo\nFOO\n')
  const { PATH } = process.env
  process.env.PATH = [join(root, 'bin'), base, PATH].join(delimiter)
  process.env.RIPGREP_CONFIG_PATH = join(root, 'config')
  onTestFinished(() => {
    process.env.PATH = PATH
    delete process.env.RIPGREP_CONFIG_PATH
  })
  expect(await search({ pattern: '[[:alpha:]]oo', globs: ['a'] })).toBe(
    'a\n1: foo\n\n[1 matching line in 1 file]',
  )
  expect(existsSync(join(root, 'was-run'))).toBe(false)
})

test('without ripgrep, the first result says how to get it', async () => {
  const { PATH } = process.env
  process.env.PATH = '/nowhere'
  onTestFinished(() => {
    process.env.PATH = PATH
  })
  const { write, search } = setUp()
  write('a', 'foo\n')
  const found = 'a\n1: foo\n\n[1 matching line in 1 file]'
  expect(await search({ pattern: 'foo' })).toMatch(
    /^a\n1: foo\n\n\[1 .*\n\n\[ripgrep, .* was not found .*: install version 14/,
  )
  expect(await search({ pattern: 'foo' })).toBe(found)
  expect(await search({ pattern: '[[:alpha:]]' })).toMatch(
    /^INVALID_PARAMS: .*without ripgrep; .* was not found/,
  )
})

test('a write that was called before a search in the same batch is found', async () => {
  const { root } = setUp()
  const runtime = createRuntime({ approval: 'allow' })
  onTestFinished(() => runtime.close())
  const { fileTools } = await import('@curfew/agent/tools')
  const workspace = createWorkspace({ root })
  runtime.register([...fileTools(workspace), ...searchTools(workspace)])
  const [, found] = await runtime.execute([
    { id: '1', name: 'write_file', params: { path: 'new.txt', content: 'fresh\n' } },
    { id: '2', name: 'search_files', params: { pattern: 'fresh' } },
  ])
  expect(found!.content).toContain('new.txt\n1: fresh')
})
