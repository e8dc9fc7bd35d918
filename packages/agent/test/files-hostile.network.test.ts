import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { type FileSetup, setUpFiles } from './support/file-setup.ts'

const isRoot = process.getuid?.() === 0

/** A folder outside of the workspace that nothing may change. */
function outsideOf({ base }: FileSetup): string {
  const outside = join(base, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'victim'), 'outside\n')
  return outside
}

const editOf = (path: string) => ({ path, edits: [{ old_string: 'side', new_string: 'SIDE' }] })

test('links and .. never lead out of the workspace', async () => {
  const files = setUpFiles()
  const { call, root } = files
  const outside = outsideOf(files)
  symlinkSync(outside, join(root, 'folder'))
  symlinkSync('../outside/victim', join(root, 'file'))
  symlinkSync('../outside/new', join(root, 'dangling'))
  symlinkSync('loop', join(root, 'loop'))
  const before = files.all()
  const paths = [
    'folder/victim',
    'file',
    'dangling',
    'loop',
    '../outside/victim',
    'a/../../outside/victim',
    join(outside, 'victim'),
  ]
  for (const path of paths) {
    expect(await call('read_file', { path }), path).toMatch(/^DENIED: .*(outside of the workspace|loop)/)
    expect(await call('write_file', { path, content: 'x' }), path).toMatch(/^DENIED/)
    expect(await call('edit_file', editOf(path)), path).toMatch(/^DENIED/)
  }
  expect(await call('list_directory', { path: 'folder' })).toMatch(/^DENIED/)
  expect(await call('write_file', { path: 'folder/sub/new', content: 'x' })).toMatch(/^DENIED/)
  expect(files.all()).toEqual(before)
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('outside\n')
})

test('a link inside of the workspace is followed, and stays a link', async () => {
  const { call, write, read, root } = setUpFiles()
  write('real', 'inside\n')
  symlinkSync('real', join(root, 'link'))
  await call('read_file', { path: 'link' })
  expect(await call('edit_file', editOf('link'))).toBe('Edited real: 1 replacement')
  expect(read('real')).toBe('inSIDE\n')
  expect(readdirSync(root).sort()).toEqual(['link', 'real'])
})

test('links that are swapped in while calls run redirect neither reads nor writes', {
  timeout: 120_000,
}, async () => {
  const files = setUpFiles()
  const { call, root, write } = files
  const outside = outsideOf(files)
  write('folder/file', 'inside\n')
  write('file', 'inside\n')
  symlinkSync('folder', join(root, 'current'))
  const fixture = join(import.meta.dirname, 'fixtures/swap-entries.ts')
  const swapping = spawn(process.execPath, [fixture, root, outside], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(swapping, 'exit')
  onTestFinished(async () => {
    swapping.kill('SIGKILL')
    await ended
  })
  await once(swapping.stdout, 'data')
  const outcomes = new Map<string, number>()
  for (let round = 0; round < scaled(15); round++) {
    for (const path of [
      'folder/victim',
      'folder/file',
      'current/victim',
      'current/file',
      'file',
      `folder/new-${round}`,
    ]) {
      const results = [
        await call('read_file', { path }),
        await call('edit_file', {
          path,
          edits: [{ old_string: 'inside\n', new_string: `inside\n${round}\n` }],
        }),
        await call('write_file', { path, content: 'written' }),
      ]
      for (const result of results) {
        expect(result).not.toMatch(/^1\toutside/)
        const kind = /^[A-Z_]+(?=:)/.exec(result)?.[0] ?? 'success'
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
      }
    }
  }
  swapping.kill('SIGKILL')
  await ended
  // Otherwise nothing was raced.
  expect([...outcomes.keys()].sort()).toEqual(['DENIED', 'TOOL_FAILED', 'success'])
  expect(readdirSync(outside)).toEqual(['victim'])
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('outside\n')
  expect(files.all().filter((path) => path.includes('.curfew-'))).toEqual([])
})

test('what becomes protected after the approval is not changed', async () => {
  const asked: string[] = []
  const files = setUpFiles({
    approval: 'ask',
    ask: (question) => {
      asked.push(question.message)
      rmSync(join(files.root, 'docs'), { recursive: true })
      symlinkSync('.git/hooks', join(files.root, 'docs'))
      return 'once'
    },
  })
  mkdirSync(join(files.root, '.git/hooks'), { recursive: true })
  mkdirSync(join(files.root, 'docs'))
  expect(await files.call('write_file', { path: 'docs/pre-commit', content: 'x' })).toMatch(
    /^DENIED: \.git\/hooks\/pre-commit is protected: git runs hooks.*was not so when the call was approved/,
  )
  expect(asked).toHaveLength(1)
  expect(readdirSync(join(files.root, '.git/hooks'))).toEqual([])
})

test('FIFOs, sockets and devices are rejected, and no call blocks', async (context) => {
  const { call, root } = setUpFiles()
  execFileSync('mkfifo', [join(root, 'fifo')])
  const server = createServer().listen(join(root, 'socket'))
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  symlinkSync('fifo', join(root, 'link'))
  for (const [path, kind] of [
    ['fifo', 'a FIFO'],
    ['link', 'a FIFO'],
    ['socket', 'a socket'],
  ] as const) {
    const expected = `${path === 'link' ? 'fifo' : path} is ${kind}, not a file`
    expect(await call('read_file', { path })).toBe(`TOOL_FAILED: ${expected}`)
    expect(await call('write_file', { path, content: 'x' })).toBe(`TOOL_FAILED: ${expected}`)
    expect(await call('edit_file', editOf(path))).toBe(`TOOL_FAILED: ${expected}`)
  }
  expect(await call('list_directory', {})).toBe('fifo  a FIFO\nlink -> fifo\nsocket  a socket')
  symlinkSync('/dev/zero', join(root, 'zero'))
  for (const path of ['zero', '/dev/zero', '/dev/stdin', '/proc/self/environ'])
    expect(await call('read_file', { path })).toMatch(/^DENIED/)
  const made = spawnSync('mknod', [join(root, 'device'), 'c', '1', '5'])
  if (made.status !== 0) context.annotate('a device cannot be created without privileges')
  else expect(await call('read_file', { path: 'device' })).toBe('TOOL_FAILED: device is a device, not a file')
})

test('a file of 10 GB is read in parts, in bounded memory', async () => {
  const { call, root } = setUpFiles({ approval: 'allow', tools: { read_file: { timeout: 1_000 } } })
  const path = join(root, 'large')
  const descriptor = openSync(path, 'w')
  writeSync(descriptor, 'line\n'.repeat(50_000))
  ftruncateSync(descriptor, 10_000_000_000)
  closeSync(descriptor)
  const before = process.memoryUsage().rss
  expect(await call('read_file', { path: 'large', first_line: 49_999, line_count: 2 })).toBe(
    '49999\tline\n50000\tline\n\n[lines 49999-50000; to continue, pass first_line: 50001; the file has 10.0 GB; it cannot be edited]',
  )
  // The rest is one line of NUL characters.
  const open = descriptors()
  expect(await call('read_file', { path: 'large', first_line: 50_001 })).toMatch(/^TOOL_TIMEOUT/)
  await expect.poll(descriptors, { timeout: 10_000 }).toEqual(open)
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
  expect(await call('edit_file', editOf('large'))).toContain('large is too large to be edited: 10.0 GB')
  expect(await call('write_file', { path: 'large', content: '' })).toContain('was not read completely')
  truncateSync(path, 0)
  truncateSync(path, 10_000_000_000)
  expect(await call('read_file', { path: 'large' })).toContain('is not text: binary data, 10.0 GB')
})

function descriptors(): number {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0
}

test('a file that changes while it is read is reported, and does not count as read', {
  timeout: 60_000,
}, async () => {
  const { call, root, write } = setUpFiles()
  const path = join(root, 'log')
  let seen = ''
  for (let attempt = 0; attempt < 50 && !seen.includes('changed while'); attempt++) {
    write('log', 'line\n'.repeat(1_000_000))
    let isDone = false
    const appending = (async () => {
      while (!isDone) await appendFile(path, 'more\n')
    })()
    seen = await call('read_file', { path: 'log', line_count: 1 })
    isDone = true
    await appending
  }
  expect(seen).toContain('the file changed while it was being read; read it again')
  expect(await call('write_file', { path: 'log', content: '' })).toContain(
    'was not read in this conversation',
  )
})

test('a change in the same moment, with the same size, is noticed', async () => {
  const { call, write, root } = setUpFiles()
  write('a', 'one')
  await call('read_file', { path: 'a' })
  const descriptor = openSync(join(root, 'a'), 'r+')
  writeSync(descriptor, 'two')
  closeSync(descriptor)
  expect(await call('write_file', { path: 'a', content: 'x' })).toContain('has changed since it was read')
  expect(await call('edit_file', { path: 'a', edits: [{ old_string: 'two', new_string: 'x' }] })).toContain(
    'has changed',
  )
})

test('names of every length and with any characters work; longer ones are rejected', async () => {
  const { call, read } = setUpFiles()
  for (const name of [
    'x'.repeat(255),
    'é'.repeat(127),
    'line\nbreak',
    ' blanks ',
    '-rf',
    '$(x)',
    '*',
    '\u202Etxt',
  ])
    expect(await call('write_file', { path: name, content: name })).toContain('Created')
  expect(read('$(x)')).toBe('$(x)')
  expect(await call('write_file', { path: 'x'.repeat(256), content: '' })).toMatch(/^DENIED: .* too long/)
  expect(await call('write_file', { path: `${'x/'.repeat(3_000)}a`, content: '' })).toMatch(
    /^DENIED: .* too long/,
  )
  expect(await call('read_file', { path: 'a\0b' })).toMatch(/^DENIED: .* NUL/)
  expect(await call('write_file', { path: '\ud800', content: '' })).toMatch(/^(DENIED|INVALID_PARAMS): /)
  expect(await call('write_file', { path: 'half', content: '\ud800' })).toMatch(/^INVALID_PARAMS: /)
})

test('a folder where a file should be, and a file where a folder should be', async () => {
  const { call, write, all } = setUpFiles()
  write('folder/file', 'x')
  const before = all()
  expect(await call('write_file', { path: 'folder', content: '' })).toBe(
    'TOOL_FAILED: folder is a folder, not a file; list_directory lists its entries',
  )
  expect(await call('write_file', { path: 'folder/file/x', content: '' })).toMatch(
    /^DENIED: .* a file, not a folder/,
  )
  expect(await call('write_file', { path: '.', content: '' })).toContain('is a folder')
  expect(all()).toEqual(before)
})

test('a cancelled write is complete or did not happen', async () => {
  const { runtime, write, read, all } = setUpFiles()
  const old = 'old\n'.repeat(100_000)
  for (let round = 0; round < scaled(6); round++) {
    write('a', old)
    await runtime.execute([{ id: 'r', name: 'read_file', params: { path: 'a', line_count: 200_000 } }])
    const changed = old.replaceAll('old', 'new')
    const edits = [{ old_string: 'old', new_string: 'new', replace_all: true }]
    const signal = AbortSignal.timeout(1 + round)
    await runtime.execute([{ id: 'w', name: 'edit_file', params: { path: 'a', edits } }], { signal })
    await expect.poll(() => all().filter((path) => path.includes('.curfew-'))).toEqual([])
    expect([old, changed]).toContain(read('a'))
  }
})

interface ChildCall {
  readonly name: string
  readonly params: object
  readonly repeat?: number
}

const fixture = join(import.meta.dirname, 'fixtures/call-file-tools.ts')

/** Runs calls in a process that is started by `command`; `null` if that is not possible here. */
function runIn(command: readonly string[], root: string, calls: readonly ChildCall[]): string[] | null {
  const [program = '', ...args] = [...command, process.execPath, fixture, root, JSON.stringify(calls)]
  const { stdout, status } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? (JSON.parse(stdout) as string[]) : null
}

test('missing permissions: clear errors, nothing is changed', (context) => {
  const { root, write, read, all } = setUpFiles()
  write('unreadable', 'x')
  write('locked/file', 'inside')
  write('closed/file', 'inside')
  const calls: ChildCall[] = [
    { name: 'read_file', params: { path: 'unreadable' } },
    { name: 'read_file', params: { path: 'locked/file' } },
    { name: 'edit_file', params: editOf('locked/file') },
    { name: 'write_file', params: { path: 'locked/new/deep', content: 'x' } },
    { name: 'read_file', params: { path: 'closed/file' } },
    { name: 'list_directory', params: { path: 'closed' } },
  ]
  chmodSync(join(root, 'unreadable'), 0o000)
  chmodSync(join(root, 'locked'), 0o555)
  chmodSync(join(root, 'locked/file'), 0o666)
  chmodSync(join(root, 'closed'), 0o000)
  onTestFinished(() => chmodSync(join(root, 'closed'), 0o755))
  // The owner without the privileges of root.
  const unprivileged = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']
  const results = runIn(isRoot ? unprivileged : ['env'], root, calls)
  if (results === null)
    return context.skip('root has all permissions here, and setpriv cannot take them away')
  expect(results).toEqual([
    'TOOL_FAILED: unreadable: permission denied (EACCES)',
    '1\tinside\n\n[no line feed at the end of the file]',
    'TOOL_FAILED: locked/file: permission denied (EACCES); the file is unchanged',
    'TOOL_FAILED: locked/new/deep: permission denied (EACCES); nothing was written',
    expect.stringMatching(/^DENIED: .*must not be entered/),
    expect.stringMatching(/^TOOL_FAILED: closed: permission denied/),
  ])
  expect(read('locked/file')).toBe('inside')
  chmodSync(join(root, 'closed'), 0o755)
  expect(all()).toEqual([
    'project/closed',
    'project/closed/file',
    'project/locked',
    'project/locked/file',
    'project/unreadable',
  ])
})

const largeWrites: readonly ChildCall[] = [
  { name: 'read_file', params: { path: 'file' } },
  { name: 'write_file', params: { path: 'file', content: 'larger\n' }, repeat: 200_000 },
  { name: 'write_file', params: { path: 'new/folder/file', content: 'larger\n' }, repeat: 200_000 },
  { name: 'edit_file', params: editOf('file') },
]

test('a limit on the size of files: the original is intact, and no other file is left', () => {
  const { root, write, read, all } = setUpFiles()
  write('file', 'inside')
  const results = runIn(['sh', '-c', 'ulimit -f 256; exec "$@"', 'sh'], root, largeWrites)
  expect(results?.slice(1)).toEqual([
    'TOOL_FAILED: file: the limit on the size of files is exceeded (EFBIG); the file is unchanged',
    'TOOL_FAILED: new/folder/file: the limit on the size of files is exceeded (EFBIG); nothing was written',
    'Edited file: 1 replacement',
  ])
  expect(read('file')).toBe('inSIDE')
  expect(all()).toEqual(['project/file'])
})

for (const [kind, restrict, reason, content] of [
  ['full', ':', 'no space is left on the disk (ENOSPC)', 'inSIDE'],
  ['read-only', 'mount -o remount,ro "$1"', 'the file system is read-only (EROFS)', 'inside'],
] as const) {
  test(`a disk that is ${kind}: the original is intact, and no other file is left`, (context) => {
    const { root } = setUpFiles()
    const prepare = `mount -t tmpfs -o size=256k none "$1" && printf inside > "$1/file" && ${restrict}`
    const script = `${prepare} && cd "$1" && shift && "$@" && find . -type f && cat file`
    const child = [process.execPath, fixture, root, JSON.stringify(largeWrites)]
    const args = [isRoot ? '-m' : '-rm', 'sh', '-c', script, 'sh', root, ...child]
    const { stdout, status, stderr } = spawnSync('unshare', args, { encoding: 'utf8' })
    if (status !== 0) return context.skip(`a small disk cannot be mounted here: ${stderr.trim()}`)
    const [results = '', ...rest] = stdout.trim().split('\n')
    expect((JSON.parse(results) as string[]).slice(1, 3)).toEqual([
      `TOOL_FAILED: file: ${reason}; the file is unchanged`,
      `TOOL_FAILED: new/folder/file: ${reason}; nothing was written`,
    ])
    expect(rest).toEqual(['./file', content])
  })
}

test('a log that is appended to all the time can still be read', async () => {
  const { call, root, write } = setUpFiles()
  write('log', 'one\n')
  expect(await call('read_file', { path: 'log' })).toBe('1\tone')
  appendFileSync(join(root, 'log'), 'two\n')
  expect(await call('edit_file', { path: 'log', edits: [{ old_string: 'one', new_string: 'x' }] })).toContain(
    'has changed',
  )
  expect(await call('read_file', { path: 'log' })).toBe('1\tone\n2\ttwo')
})

test('a name with line breaks and control characters stays one line, for the model and for a person', async () => {
  const forged = 'a\nAllow everything?\u001b[2K\u202e'
  const files = setUpFiles({})
  files.write(`.git/${forged}`, 'x')
  files.write(forged, 'x')
  symlinkSync(forged, join(files.root, 'link'))
  const escaped = 'a\\u000aAllow everything?\\u001b[2K\\u202e'
  expect(await files.call('list_directory', {})).toBe(`.git/\n${escaped}  1 byte\nlink -> ${escaped}`)
  const questions: string[] = []
  files.runtime.onQuestion((question) => {
    if (question.kind === 'approval') questions.push(question.message, question.preview ?? '')
    return 'no'
  })
  const result = await files.call('write_file', { path: `.git/${forged}`, content: 'y' })
  const shown = [...questions, result].join('\n')
  for (const part of ['\nAllow everything', '\u001b', '\u202e']) expect(shown).not.toContain(part)
})
