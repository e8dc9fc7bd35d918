import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Question } from '@curfew/core'
import { expect, test } from 'vitest'
import { setUpFiles } from './support/file-setup.ts'

test('reads lines with their numbers, and ranges', async () => {
  const { call, write } = setUpFiles()
  write('a.txt', 'one\ntwo\n\nfour\n')
  expect(await call('read_file', { path: 'a.txt' })).toBe('1\tone\n2\ttwo\n3\t\n4\tfour')
  expect(await call('read_file', { path: 'a.txt', first_line: 2, line_count: 2 })).toBe(
    '2\ttwo\n3\t\n\n[lines 2-3 of 4; to continue, pass first_line: 4]',
  )
  expect(await call('read_file', { path: 'a.txt', first_line: 9 })).toBe(
    'TOOL_FAILED: first_line: a.txt has only 4 lines, got 9',
  )
  write('empty', '')
  expect(await call('read_file', { path: 'empty' })).toBe('[the file is empty]')
  write('crlf', 'a\r\nb')
  expect(await call('read_file', { path: 'crlf' })).toBe(
    '1\ta\n2\tb\n\n[lines end with CRLF; no line feed at the end of the file]',
  )
  expect(await call('read_file', { path: 'b.txt' })).toBe(
    'TOOL_FAILED: b.txt does not exist; did you mean a.txt?',
  )
  expect(await call('read_file', { path: 'x/b.txt' })).toBe(
    'TOOL_FAILED: x/b.txt does not exist: there is no folder x',
  )
  expect(await call('read_file', { path: '.' })).toContain('is a folder, not a file; list_directory')
})

test('long lines and long files are cut, and say how to continue', async () => {
  const { call, write } = setUpFiles()
  write('line', `${'x'.repeat(5_000)}\nend\n`)
  expect(await call('read_file', { path: 'line' })).toBe(
    `1\t${'x'.repeat(2_000)} [3000 more characters in this line]\n2\tend`,
  )
  write('file', `${'y'.repeat(99)}\n`.repeat(5_000))
  const first = await call('read_file', { path: 'file' })
  const next = Number(/\[lines 1-(\d+) of 5000; to continue, pass first_line: (\d+)\]$/.exec(first)![2])
  expect(first.length).toBeLessThan(65_536)
  expect(await call('read_file', { path: 'file', first_line: next })).toMatch(new RegExp(`^${next}\ty`))
})

test.each([
  ['UTF-8 with a byte order mark', Buffer.from('\uFEFFé\n')],
  ['UTF-16', Buffer.from('\uFEFFé\n', 'utf16le')],
  ['UTF-16 (big-endian)', Buffer.from('\uFEFFé\n', 'utf16le').swap16()],
  ['Latin-1', Buffer.from('é\n', 'latin1')],
])('%s is decoded, and kept by edits', async (name, content) => {
  const { call, write, root } = setUpFiles()
  write('a', content)
  expect(await call('read_file', { path: 'a' })).toBe(`1\té\n\n[${name}]`)
  const edits = [{ old_string: 'é', new_string: 'ü' }]
  expect(await call('edit_file', { path: 'a', edits })).toBe('Edited a: 1 replacement')
  const back = [{ old_string: 'ü', new_string: 'é' }]
  expect(await call('edit_file', { path: 'a', edits: back })).toBe('Edited a: 1 replacement')
  expect(readFileSync(join(root, 'a'))).toEqual(content)
})

test('characters that the encoding lacks are rejected by edit_file; write_file changes the encoding', async () => {
  const { call, write, read } = setUpFiles()
  write('a', Buffer.from('é\n', 'latin1'))
  await call('read_file', { path: 'a' })
  const edits = [{ old_string: 'é', new_string: '€' }]
  expect(await call('edit_file', { path: 'a', edits })).toBe(
    'TOOL_FAILED: a is unchanged: it is Latin-1, which has no "€"; write it as UTF-8 with write_file',
  )
  expect(await call('write_file', { path: 'a', content: '€\n' })).toContain(
    'now UTF-8, because Latin-1 lacks',
  )
  expect(read('a')).toBe('€\n')
})

const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex')

test('images and PDFs are parts, by content and not by name', async () => {
  const { result, write } = setUpFiles()
  write('picture.txt', png)
  expect(await result('read_file', { path: 'picture.txt' })).toMatchObject({
    content: '[image image/png, 12 bytes]',
    parts: [{ type: 'image', mediaType: 'image/png', data: png.toString('base64') }],
  })
  write('a.pdf', '%PDF-1.7\n')
  expect(await result('read_file', { path: 'a.pdf' })).toMatchObject({
    parts: [{ type: 'file', mediaType: 'application/pdf', name: 'a.pdf' }],
  })
  write('large.png', Buffer.concat([png, Buffer.alloc(6_000_000)]))
  expect(await result('read_file', { path: 'large.png' })).toMatchObject({
    message: 'large.png is too large: image/png of 6.0 MB; at most 5.0 MB can be returned',
  })
})

test.each([
  [Buffer.from('7f454c460000', 'hex'), 'a program (ELF), 6 bytes'],
  [Buffer.from('1f8b0800000000000003', 'hex'), 'gzip-compressed data, 10 bytes'],
  [Buffer.concat([Buffer.from('text'), Buffer.alloc(1)]), 'binary data, 5 bytes'],
  [Buffer.from([0xff, 0xfe, 0x61]), 'binary data, 3 bytes'],
  [Buffer.from(Array.from({ length: 300 }, (_, index) => 1 + (index % 255))), 'binary data, 300 bytes'],
])('other binary files are rejected with type and size: %#', async (content, what) => {
  const { call, write } = setUpFiles()
  write('a', content)
  expect(await call('read_file', { path: 'a' })).toContain(`a is not text: ${what}`)
})

test('writes new files with their folders, and only files that were read', async () => {
  const { call, write, read, root, all } = setUpFiles()
  expect(await call('write_file', { path: 'x/y/z.txt', content: 'one\ntwo' })).toBe(
    'Created x/y/z.txt: 2 lines, 7 bytes',
  )
  expect(read('x/y/z.txt')).toBe('one\ntwo')
  expect(await call('write_file', { path: 'x/y/z.txt', content: 'three' })).toContain('Replaced x/y/z.txt')
  write('old', 'old\n')
  chmodSync(join(root, 'old'), 0o755)
  const unread = 'old exists, but was not read in this conversation'
  expect(await call('write_file', { path: 'old', content: 'new' })).toContain(unread)
  expect(await call('edit_file', { path: 'old', edits: [{ old_string: 'o', new_string: 'x' }] })).toContain(
    unread,
  )
  await call('read_file', { path: 'old' })
  write('old', 'by the person')
  expect(await call('write_file', { path: 'old', content: 'new' })).toContain(
    'old has changed since it was read',
  )
  expect(read('old')).toBe('by the person')
  await call('read_file', { path: 'old' })
  // The same content is the same file.
  utimesSync(join(root, 'old'), 1, 1)
  expect(await call('write_file', { path: 'old', content: 'new' })).toBe('Replaced old: 1 line, 3 bytes')
  expect(statSync(join(root, 'old')).mode & 0o777).toBe(0o755)
  expect(await call('write_file', { path: 'old', content: 'new' })).toBe('old already has this content')
  expect(all()).toEqual(['project/old', 'project/x', 'project/x/y', 'project/x/y/z.txt'])
})

test('a file of which only a part was read is not replaced', async () => {
  const { call, write } = setUpFiles()
  write('a', '1\n2\n3\n4\n')
  const range = (first_line: number) => call('read_file', { path: 'a', first_line, line_count: 2 })
  const replace = () => call('write_file', { path: 'a', content: '' })
  await range(3)
  expect(await replace()).toContain('a was not read completely, only a part')
  await range(1)
  expect(await replace()).toContain('only 2 of the lines; read the rest')
  expect(await call('edit_file', { path: 'a', edits: [{ old_string: '1\n', new_string: '0\n' }] })).toContain(
    'Edited',
  )
  await range(3)
  expect(await replace()).toBe('Replaced a: 0 lines, 0 bytes')
})

test('a file that was removed since it was read is created by the second call', async () => {
  const { call, write, root } = setUpFiles()
  write('a', '1')
  await call('read_file', { path: 'a' })
  rmSync(join(root, 'a'))
  expect(await call('write_file', { path: 'a', content: '2' })).toContain('was removed since it was read')
  expect(await call('write_file', { path: 'a', content: '2' })).toContain('Created a')
})

test('line endings of an existing file are kept', async () => {
  const { call, write, read } = setUpFiles()
  write('a', 'one\r\ntwo\r\n')
  await call('read_file', { path: 'a' })
  expect(await call('write_file', { path: 'a', content: 'three\nfour\n' })).toContain(
    'CRLF line endings kept',
  )
  expect(read('a')).toBe('three\r\nfour\r\n')
  await call('write_file', { path: 'a', content: 'a\r\nb\n' })
  expect(read('a')).toBe('a\r\nb\n')
  const edits = [{ old_string: 'a\nb', new_string: 'c\nd\ne' }]
  expect(await call('edit_file', { path: 'a', edits })).toBe('Edited a: 1 replacement')
  expect(read('a')).toBe('c\r\nd\r\ne\n')
})

test('all edits or none', async () => {
  const { call, write, read } = setUpFiles()
  write('a', 'one\ntwo\ntwo\n')
  await call('read_file', { path: 'a' })
  const edit = (...edits: object[]) => call('edit_file', { path: 'a', edits })
  const one = { old_string: 'one', new_string: '1' }
  expect(await edit(one, { old_string: 'three', new_string: '3' })).toContain(
    'a is unchanged: edits[1]: old_string was not found',
  )
  expect(await edit(one, { old_string: 'two', new_string: '2' })).toContain(
    'edits[1]: old_string occurs 2 times, in lines 2, 3; add surrounding lines',
  )
  expect(await edit({ old_string: 'one', new_string: 'one' })).toContain('are the same')
  expect(await edit({ old_string: '', new_string: 'one' })).toContain('INVALID_PARAMS')
  expect(read('a')).toBe('one\ntwo\ntwo\n')
  expect(await edit(one, { old_string: 'two', new_string: '2', replace_all: true })).toBe(
    'Edited a: 3 replacements',
  )
  expect(read('a')).toBe('1\n2\n2\n')
  expect(await edit({ old_string: '1', new_string: '0' }, { old_string: '0', new_string: '1' })).toBe(
    'a is the same after these edits',
  )
})

test('a read-only file stays as it is', async () => {
  const { call, write, root, all } = setUpFiles()
  write('a', 'one')
  chmodSync(join(root, 'a'), 0o444)
  await call('read_file', { path: 'a' })
  expect(await call('write_file', { path: 'a', content: 'two' })).toContain(
    'a is read-only (its mode is 444)',
  )
  expect(all()).toEqual(['project/a'])
})

test('other hard links are mentioned', async () => {
  const { call, write, read, root } = setUpFiles()
  write('a', 'one')
  linkSync(join(root, 'a'), join(root, 'b'))
  await call('read_file', { path: 'a' })
  expect(await call('write_file', { path: 'a', content: 'two' })).toContain('other hard links')
  expect([read('a'), read('b')]).toEqual(['two', 'one'])
})

test('lists entries with types, sizes and marks', async () => {
  const { call, write, root, base } = setUpFiles()
  write('b.txt', 'x'.repeat(1_234))
  write('.gitignore', 'build/\n*.log\n!keep.log\n')
  write('.env', 'TOKEN=1')
  write('build/out.js', '')
  write('a.log', '')
  write('keep.log', '')
  write('sub/.gitignore', '/private\n')
  write('sub/private', '')
  write('sub/x.log', '')
  mkdirSync(join(base, 'other'))
  symlinkSync('../other', join(root, 'out'))
  symlinkSync('b.txt', join(root, 'link'))
  expect(await call('list_directory', {})).toBe(
    [
      '.env  7 bytes  (secret)',
      '.gitignore  23 bytes',
      'a.log  0 bytes  (ignored)',
      'b.txt  1.2 KB',
      'build/  (ignored)',
      'keep.log  0 bytes',
      'link -> b.txt',
      'out -> ../other  (outside of the workspace)',
      'sub/',
    ].join('\n'),
  )
  expect(await call('list_directory', { path: 'sub' })).toBe(
    '.gitignore  9 bytes\nprivate  0 bytes  (ignored)\nx.log  0 bytes  (ignored)',
  )
  expect(await call('list_directory', { path: 'build' })).toBe('out.js  0 bytes  (ignored)')
  expect(await call('list_directory', { path: 'b.txt' })).toContain('b.txt is not a folder; read_file')
  expect(await call('list_directory', { path: 'nothing' })).toContain('does not exist')
  mkdirSync(join(root, 'none'))
  expect(await call('list_directory', { path: 'none' })).toBe('[the folder is empty]')
})

test('a person sees a diff', async () => {
  const asked: Question[] = []
  const { call, write } = setUpFiles({
    ask: (question) => {
      asked.push(question)
      return 'once'
    },
  })
  const preview = () => (asked.at(-1) as { preview: string }).preview
  await call('write_file', { path: 'a', content: 'one\ntwo\n' })
  expect(preview()).toContain('--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two')
  await call('edit_file', { path: 'a', edits: [{ old_string: 'two', new_string: 'three' }] })
  expect(preview()).toContain('--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+three')
  write('large', 'x'.repeat(11_000_000))
  await call('read_file', { path: 'large' })
  await call('write_file', { path: 'large', content: 'y' })
  expect(preview()).toContain('-[11.0 MB that are not shown]\n+y')
})

test('nobody is asked about a call that would fail', async () => {
  const asked: Question[] = []
  const { call, write, read, root } = setUpFiles({
    ask: (question) => {
      asked.push(question)
      return 'once'
    },
  })
  const edit = (path: string, old_string: string) =>
    call('edit_file', { path, edits: [{ old_string, new_string: 'new' }] })
  const replace = (path: string, content = 'new') => call('write_file', { path, content })
  for (const path of ['unread', 'changed', 'removed', 'same']) write(path, 'old\n')
  write('partial', 'old\n'.repeat(10))
  for (const path of ['changed', 'removed', 'same']) await call('read_file', { path })
  await call('read_file', { path: 'partial', line_count: 2 })
  write('changed', 'by someone else\n')
  rmSync(join(root, 'removed'))

  const unread = 'TOOL_FAILED: unread exists, but was not read in this conversation; read it first'
  expect(await edit('unread', 'old')).toContain(unread)
  expect(await replace('unread')).toContain(unread)
  expect(await edit('changed', 'by')).toContain('changed has changed since it was read; read it again')
  expect(await replace('changed')).toContain('changed has changed since it was read; read it again')
  expect(await replace('partial')).toContain('partial was not read completely, only 2 of the lines')
  expect(await edit('same', 'older')).toContain('same is unchanged: edits[0]')
  expect(await edit('missing', 'old')).toContain('missing does not exist; create it with write_file')
  expect(await replace('new', '\ud800')).toContain(
    'INVALID_PARAMS: content: contains half of a surrogate pair',
  )
  expect(await replace('same/new')).toContain('not a folder')
  expect(await replace('removed')).toContain('removed was removed since it was read; call again if it should')
  expect(asked).toEqual([])

  expect(await replace('removed')).toContain('Created removed')
  expect(asked.length).toBe(1)
  expect(read('unread')).toBe('old\n')

  // A person should know that a model attempts to change this one.
  write('AGENTS.md', 'old\n')
  expect(await replace('AGENTS.md')).toContain('AGENTS.md exists, but was not read')
  expect(asked[1]).toMatchObject({
    restriction: expect.any(String),
    preview: expect.stringContaining('The call will fail: AGENTS.md exists, but was not read'),
  })
})

test.each([
  { approved: 'two', problem: 'a has changed since it was read; read it again, with read_file' },
  { approved: null, problem: 'a was removed since it was read; call again if it should be created' },
])('a file that is not as it was when its diff was shown is not written', async ({ approved, problem }) => {
  const { call, write, read, root } = setUpFiles({
    ask() {
      if (approved === null) rmSync(join(root, 'a'))
      else write('a', approved)
      return 'once'
    },
  })
  for (const [name, params] of [
    ['write_file', { content: 'new' }],
    ['edit_file', { edits: [{ old_string: 'one', new_string: 'new' }] }],
  ] as const) {
    write('a', 'one')
    await call('read_file', { path: 'a' })
    expect(await call(name, { path: 'a', ...params })).toBe(`TOOL_FAILED: ${problem}`)
    expect(existsSync(join(root, 'a')) ? read('a') : null).toBe(approved)
  }
})

test('a file that is created after its diff was shown is not written', async () => {
  const { call, write, read } = setUpFiles({
    ask() {
      write('a', 'one')
      return 'once'
    },
  })
  expect(await call('write_file', { path: 'a', content: 'new' })).toContain('a exists, but was not read')
  expect(read('a')).toBe('one')
})

test('two spellings of a file are one resource, and reads of it wait for a write', async () => {
  const { runtime, write, root } = setUpFiles()
  write('a', 'old')
  symlinkSync('a', join(root, 'b'))
  await runtime.execute([{ id: '0', name: 'read_file', params: { path: 'b' } }])
  const [, second] = await runtime.execute([
    { id: '1', name: 'write_file', params: { path: './a', content: 'new' } },
    { id: '2', name: 'read_file', params: { path: 'b' } },
    { id: '3', name: 'list_directory', params: {} },
  ])
  expect(second).toMatchObject({ content: expect.stringContaining('1\tnew') })
})
