import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createCheckpoints, removeOldCheckpoints } from '@curfew/agent/tools'
import { expect, test } from 'vitest'
import { actions, git, openWorkspace } from './support/checkpoint-setup.ts'

const fixture = fileURLToPath(new URL('fixtures/checkpoint-process.js', import.meta.url))
const isRoot = process.getuid?.() === 0

test('content, executable bits, links and deletions are restored exactly', async () => {
  const { take, restore, write, link, remove, files } = openWorkspace()
  write('a.txt', 'one\r\ntwo\n')
  write('bin/run', '#!/bin/sh\n', 0o755)
  write('bytes', Buffer.from([0, 255, 13, 10, 0]))
  write('empty', '')
  link('link', 'a.txt')
  link('nowhere', '../missing')
  write('deep/er/file', 'x')
  const before = files()
  const number = await take()
  write('a.txt', 'changed')
  write('bin/run', '#!/bin/sh\n', 0o644)
  write('bytes', 'text', 0o755)
  remove('empty')
  remove('link')
  write('link', 'a file now')
  remove('deep')
  write('deep', 'a file now')
  write('new/folder/file', 'new')
  const after = files()
  const { before: undo, failed } = await restore(number)
  expect(failed).toEqual([])
  expect(files()).toEqual(before)
  expect((await restore(undo.number)).failed).toEqual([])
  expect(files()).toEqual(after)
})

test('a plan lists the changes, and changes nothing', async () => {
  const { take, plan, write, remove, files, checkpoints } = openWorkspace()
  write('changed', '1')
  write('deleted', '1')
  const number = await take()
  write('changed', '2')
  remove('deleted')
  write('created', '1')
  const current = files()
  const { changes } = await plan(number)
  expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'change changed',
    'delete created',
    'create deleted',
  ])
  expect(files()).toEqual(current)
  expect(await checkpoints.list()).toHaveLength(1)
})

test('nothing is restored if files change after the plan was made', async () => {
  const { take, plan, write, files, checkpoints } = openWorkspace()
  write('a', '1')
  const number = await take()
  write('a', '2')
  const made = await plan(number)
  write('a', '3')
  const { signal } = new AbortController()
  const restored = checkpoints.restore(made, { position: 0, followedBy: [], signal })
  await expect(restored).rejects.toThrow('files have changed since you were asked')
  expect(files()).toEqual({ a: 'file 3' })
})

test('changes of the same length within the same second are noticed later', async () => {
  const { take, restore, write, files } = openWorkspace()
  let isSameSecond = false
  // git compares seconds. On a busy machine, a checkpoint may take longer than one.
  for (let attempt = 0; attempt < 5 && !isSameSecond; attempt++) {
    await sleep(1_000 - (Date.now() % 1_000))
    const second = Math.floor(Date.now() / 1_000)
    write('file', 'aaaa')
    const first = await take()
    write('file', 'bbbb')
    isSameSecond = Math.floor(Date.now() / 1_000) === second
    await sleep(1_000)
    const later = await take()
    write('file', 'cccc')
    await restore(first)
    expect(files()).toEqual({ file: 'file aaaa' })
    await restore(later)
    expect(files()).toEqual({ file: 'file bbbb' })
  }
})

test('ignored files are neither saved nor changed, unless the project tracks them', async () => {
  const { root, take, restore, write, files, folder } = openWorkspace()
  git(root, 'init', '-q')
  write('.gitignore', '*.log\nbuild/\n')
  write('.git/info/exclude', 'private\n')
  write('tracked.log', '1')
  git(root, 'add', '-f', 'tracked.log')
  write('a.log', '1')
  write('build/out', '1')
  write('private', '1')
  write('sub/.gitignore', 'x\n')
  write('sub/x', '1')
  const number = await take()
  for (const path of ['tracked.log', 'a.log', 'build/out', 'private', 'sub/x']) write(path, '2')
  await restore(number)
  expect(files()).toMatchObject({
    'tracked.log': 'file 1',
    'a.log': 'file 2',
    'build/out': 'file 2',
    private: 'file 2',
    'sub/x': 'file 2',
  })
  expect(statSync(join(folder, 'checkpoints')).mode & 0o777).toBe(0o700)
  git(root, 'add', '-f', 'a.log')
  const later = await take()
  write('a.log', '3')
  await restore(later)
  expect(files()).toMatchObject({ 'a.log': 'file 2' })
})

test('a file that was ignored then is not deleted, although it is not ignored now', async () => {
  const { take, restore, write, remove, files } = openWorkspace()
  write('.gitignore', 'dist/\n')
  write('dist/app.js', 'built')
  const number = await take()
  write('.gitignore', '')
  write('new.js', 'new')
  await take()
  await restore(number)
  expect(files()).toEqual({ '.gitignore': 'file dist/\n', 'dist/app.js': 'file built' })
  remove('dist')
})

test('a file that is ignored now, but was not then, is restored', async () => {
  const { take, restore, write, files } = openWorkspace()
  write('cache', '1')
  const number = await take()
  write('.gitignore', 'cache\n')
  write('cache', '2')
  const { before } = await restore(number)
  expect(files()).toEqual({ cache: 'file 1' })
  await restore(before.number)
  expect(files()).toEqual({ '.gitignore': 'file cache\n', cache: 'file 2' })
})

test('a file that is restored together with rules that ignore it stays covered', async () => {
  const { take, restore, write, remove, files } = openWorkspace()
  write('cache', '1')
  await take()
  write('.gitignore', 'cache\n')
  const first = await take()
  remove('cache')
  await take()
  await restore(first)
  write('cache', '2')
  const second = await take()
  write('cache', '3')
  await restore(second)
  expect(files()).toEqual({ '.gitignore': 'file cache\n', cache: 'file 2' })
})

test('an ignored file is not replaced by one that was covered then', async () => {
  const { take, plan, restore, write, remove, files } = openWorkspace()
  write('cache', '1')
  const number = await take()
  remove('cache')
  await take()
  write('.gitignore', 'cache\n')
  write('cache', 'not saved anywhere')
  expect((await plan(number)).untouched).toEqual([{ path: 'cache', reason: 'ignored' }])
  await restore(number)
  expect(files()).toEqual({ cache: 'file not saved anywhere' })
})

test('a file that was ignored then does not keep another one from being restored', async () => {
  const { take, restore, write, remove, files } = openWorkspace()
  write('out/x.log', '1')
  const asFolder = await take()
  remove('out')
  write('out', '2')
  write('.gitignore', '*.log\n')
  const { before: asFile, failed } = await restore(asFolder)
  expect(files()).toEqual({ 'out/x.log': 'file 1' })
  const undone = await restore(asFile.number)
  expect([...failed, ...undone.failed]).toEqual([])
  expect(files()).toEqual({ '.gitignore': 'file *.log\n', out: 'file 2' })
})

test('a file that was ignored then does not keep a folder of that name from being restored', async () => {
  const { take, restore, write, remove, files } = openWorkspace()
  write('out/a', '1')
  await take()
  write('.gitignore', 'out\n')
  const number = await take()
  remove('out')
  remove('.gitignore')
  write('out', '2')
  const { before, failed } = await restore(number)
  expect(files()).toEqual({ '.gitignore': 'file out\n', 'out/a': 'file 1' })
  const undone = await restore(before.number)
  expect([...failed, ...undone.failed]).toEqual([])
  expect(files()).toEqual({ out: 'file 2' })
})

test('a folder in the place of a large file is removed', async () => {
  const { take, restore, write, remove, files } = openWorkspace({ maxFileBytes: 10 })
  write('large', 'x'.repeat(11))
  const number = await take()
  remove('large')
  write('large/file', '1')
  await restore(number)
  expect(files()).toEqual({})
})

test('rules of folders around the root apply', async () => {
  const { base, root, checkpoints } = openWorkspace()
  git(base, 'init', '-q')
  writeFileSync(join(base, '.gitignore'), 'node_modules/\n/project/out\n/other/a\n*/generated\n')
  const { take, restore, write, files } = actions(root, checkpoints)
  for (const path of ['node_modules/m', 'out/o', 'generated/g', 'a', 'b/out/o']) write(path, '1')
  const number = await take()
  for (const path of ['node_modules/m', 'out/o', 'generated/g', 'a', 'b/out/o']) write(path, '2')
  await restore(number)
  expect(files()).toEqual({
    'node_modules/m': 'file 2',
    'out/o': 'file 2',
    'generated/g': 'file 2',
    a: 'file 1',
    'b/out/o': 'file 1',
  })
})

test('secret files, large files, nested repositories and special files are not covered, and stay as they are', async () => {
  const { root, take, plan, restore, write, files, checkpoints, folder } = openWorkspace({
    maxFileBytes: 100,
  })
  write('.env', 'TOKEN=secret-value-1')
  write('large', 'x'.repeat(101))
  write('grows', 'small')
  write('shrinks', 'x'.repeat(101))
  mkdirSync(join(root, 'nested'))
  git(join(root, 'nested'), 'init', '-q')
  write('nested/file', '1')
  mkdirSync(join(root, 'committed'))
  git(join(root, 'committed'), 'init', '-q')
  write('committed/file', '1')
  git(join(root, 'committed'), 'add', '.')
  git(join(root, 'committed'), 'commit', '-qm', 'x')
  execFileSync('mkfifo', [join(root, 'fifo')])
  write('plain', '1')
  const number = await take()
  const [checkpoint] = await checkpoints.list()
  expect(checkpoint!.uncovered.map(({ path, reason }) => `${path} ${reason}`).sort()).toEqual([
    '.env secret',
    'committed/ nested-repository',
    'large too-large',
    'nested/ nested-repository',
    'shrinks too-large',
  ])
  write('.env', 'TOKEN=secret-value-2')
  write('large', 'y'.repeat(102))
  write('grows', 'y'.repeat(102))
  write('shrinks', 'y')
  write('nested/file', '2')
  rmSync(join(root, 'nested/.git'), { recursive: true })
  write('committed/file', '2')
  write('plain', '2')
  const expected = { ...files(), plain: 'file 1' }
  expect((await plan(number)).untouched.map(({ path }) => path).sort()).toEqual([
    '.env',
    'committed/',
    'grows',
    'large',
    'nested/',
    'shrinks',
  ])
  expect((await restore(number)).failed).toEqual([])
  expect(files()).toEqual(expected)
  expect(storedBytes(folder)).toContain('small')
  expect(storedBytes(folder)).not.toContain('secret-value')
})

test('a file that became secret is not part of later checkpoints', async () => {
  const { root, folder, take, write } = openWorkspace()
  write('token.txt', '1')
  await take()
  const checkpoints = createCheckpoints({
    root,
    folder,
    conversation: 'test',
    isSecret: (path) => path.endsWith('token.txt'),
    onNotice: () => {},
  })
  const later = actions(root, checkpoints)
  const number = await later.take()
  expect((await checkpoints.list())[0]!.uncovered).toEqual([{ path: 'token.txt', reason: 'secret' }])
  write('token.txt', '2')
  await later.restore(number)
  expect(later.files()).toEqual({ 'token.txt': 'file 2' })
  await later.restore(1)
  expect(later.files()).toEqual({ 'token.txt': 'file 2' })
  await checkpoints.close()
})

test('names with any bytes, and names that differ in case, are restored', async () => {
  const { root, take, restore, files } = openWorkspace()
  const names = [
    'a\nb',
    'quo"te',
    'back\\slash',
    'tab\t',
    ' ',
    '-dash',
    ':(top)x',
    '*',
    'ä',
    'A',
    '.GIT',
    'git~1',
    'x'.repeat(255),
  ]
  const paths = [
    ...names.map((name) => Buffer.from(join(root, name))),
    Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe, 0x41])]),
    Buffer.from(join(root, 'a')),
  ]
  for (const path of paths) writeFileSync(path, '1')
  const before = files()
  const number = await take()
  for (const path of paths) writeFileSync(path, '2')
  expect((await restore(number)).failed).toEqual([])
  // git stores no such name.
  expect(files()).toEqual({ ...before, '.GIT': 'file 2' })
})

test('links are never followed', async () => {
  const { base, root, take, plan, restore, write, remove, files } = openWorkspace()
  const outside = join(base, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), 'outside')
  symlinkSync(outside, join(root, 'linked'))
  write('folder/file', 'inside')
  write('other/file', 'inside')
  const number = await take()
  expect((await plan(number)).changes).toEqual([])
  remove('folder')
  symlinkSync(outside, join(root, 'folder'))
  await restore(number)
  expect(files()).toMatchObject({ 'folder/file': 'file inside', linked: `link ${outside}` })
  // An ignored link is not covered, so it stays.
  git(root, 'init', '-q')
  write('.git/info/exclude', '/other\n')
  remove('other')
  symlinkSync(outside, join(root, 'other'))
  const { failed } = await restore(number)
  expect(failed).toEqual([{ path: 'other/file', message: 'a parent directory was replaced' }])
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('outside')
})

test('a file that cannot be restored is reported, and the others are restored', async () => {
  const { take, restore, write, remove, files } = openWorkspace()
  write('.gitignore', 'ignored\n')
  write('a', '1')
  write('blocked', '1')
  write('c', '1')
  const number = await take()
  for (const path of ['a', 'c']) write(path, '2')
  remove('blocked')
  write('blocked/ignored', 'kept')
  const { failed } = await restore(number)
  expect(failed).toEqual([
    { path: 'blocked', message: 'there is a folder now, with files that are not covered' },
  ])
  expect(files()).toMatchObject({ a: 'file 1', c: 'file 1', 'blocked/ignored': 'file kept' })
})

test('missing permissions are reported', async () => {
  const { base, root, folder, take, write, files } = openWorkspace()
  write('a', '1')
  write('closed/file', '1')
  const number = await take()
  write('a', '2')
  write('closed/file', '2')
  chmodSync(join(root, 'closed'), 0o555)
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {}
  if (isRoot) {
    chmodSync(dirname(base), 0o711)
    execFileSync('chown', ['-R', '65534:65534', base])
  }
  const output = execFileSync(process.execPath, [fixture, root, folder, 'restore', String(number)], {
    ...user,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: base },
  })
  chmodSync(join(root, 'closed'), 0o755)
  expect(JSON.parse(output).failed).toEqual([{ path: 'closed/file', message: 'permission denied' }])
  expect(files()).toMatchObject({ a: 'file 1', 'closed/file': 'file 2' })
})

test('folders that become empty are removed, permissions stay', async () => {
  const { root, take, restore, write, files } = openWorkspace()
  write('private', '1', 0o600)
  mkdirSync(join(root, 'empty'))
  const number = await take()
  write('private', '2')
  write('new/folder/file', '1')
  mkdirSync(join(root, 'new/other'))
  await restore(number)
  expect(files()).toEqual({ private: 'file 1' })
  expect(statSync(join(root, 'private')).mode & 0o777).toBe(0o600)
  expect(readdirSync(root).sort()).toEqual(['empty', 'new', 'private'])
  expect(readdirSync(join(root, 'new'))).toEqual(['other'])
})

test('hard links, files from the future and from the past', async () => {
  const { root, take, restore, write, files } = openWorkspace()
  write('a', '1')
  linkSync(join(root, 'a'), join(root, 'b'))
  write('future', '1')
  utimesSync(join(root, 'future'), 4_000_000_000, 4_000_000_000)
  write('past', '1')
  utimesSync(join(root, 'past'), 1, 1)
  const before = files()
  const number = await take()
  for (const path of ['a', 'future', 'past']) write(path, '2')
  utimesSync(join(root, 'future'), 4_000_000_000, 4_000_000_000)
  const { failed } = await restore(number)
  expect(failed).toEqual([])
  expect(files()).toEqual(before)
})

test('without git, there is one notice and no checkpoint', async () => {
  const { notices, write, checkpoints } = openWorkspace()
  write('a', '1')
  const path = process.env.PATH
  process.env.PATH = '/nonexistent'
  try {
    const { signal } = new AbortController()
    for (let count = 0; count < 3; count++) await checkpoints.take({ position: 0, followedBy: [], signal })
  } finally {
    process.env.PATH = path
  }
  expect(notices).toEqual([
    'git is not installed, so no checkpoints are taken, and /restore cannot undo changes',
  ])
  expect(await checkpoints.list()).toEqual([])
})

test('a checkpoint that takes too long is given up, and after two of them, no more are taken', async () => {
  const { base, notices, write, checkpoints } = openWorkspace({ timeoutMs: 300 })
  write('a', '1')
  const programs = join(base, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'git'), '#!/bin/sh\necho started >> "$0.log"\nsleep 600\n', { mode: 0o755 })
  const path = process.env.PATH
  process.env.PATH = `${programs}:${path}`
  try {
    const { signal } = new AbortController()
    for (let count = 0; count < 4; count++) await checkpoints.take({ position: 0, followedBy: [], signal })
  } finally {
    process.env.PATH = path
  }
  expect(notices).toEqual([
    'no checkpoint was taken before this change: it took longer than 300 ms',
    'no more checkpoints are taken: it took longer than 300 ms, 2 times in a row',
  ])
  expect(await checkpoints.list()).toEqual([])
})

test('a failure is reported once, until a checkpoint succeeds again', async () => {
  const { base, notices, take, write, checkpoints } = openWorkspace()
  write('a', '1')
  await take()
  const programs = join(base, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'git'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const { signal } = new AbortController()
  const fail = async () => {
    const path = process.env.PATH
    process.env.PATH = `${programs}:${path}`
    try {
      for (let count = 0; count < 2; count++) await checkpoints.take({ position: 0, followedBy: [], signal })
    } finally {
      process.env.PATH = path
    }
  }
  await fail()
  expect(notices).toHaveLength(1)
  await take()
  await fail()
  expect(notices).toHaveLength(2)
})

test('an abort during a restore says how to go on', async () => {
  const { take, plan, write, checkpoints, files } = openWorkspace()
  for (let file = 0; file < 600; file++) write(`file-${file}`, '1')
  const number = await take()
  for (let file = 0; file < 600; file++) write(`file-${file}`, '2')
  const made = await plan(number)
  const controller = new AbortController()
  const restored = checkpoints.restore(made, { position: 0, followedBy: [], signal: controller.signal })
  const isPartial = () => Object.values(files()).includes('file 1')
  const abort = async () => {
    while (!isPartial()) await sleep(1)
    controller.abort()
  }
  await Promise.all([
    expect(restored).rejects.toThrow(
      'restoring checkpoint 1 was interrupted: /restore 1 repeats it, /restore 2 returns to the state before it',
    ),
    abort(),
  ])
})

test('an abort ends the checkpoint without a notice', async () => {
  const { notices, write, checkpoints } = openWorkspace()
  write('a', '1')
  const controller = new AbortController()
  const taken = checkpoints.take({ position: 0, followedBy: [], signal: controller.signal })
  controller.abort()
  await taken
  expect(notices).toEqual([])
  expect(await checkpoints.list()).toEqual([])
})

test('too many files are reported, not saved', async () => {
  const { root, notices, checkpoints, write } = openWorkspace()
  write('sparse', '')
  for (let file = 0; file < 500; file++) {
    writeFileSync(join(root, `sparse-${file}`), '')
    truncateSync(join(root, `sparse-${file}`), 9_000_000)
  }
  const { signal } = new AbortController()
  await checkpoints.take({ position: 0, followedBy: [], signal })
  expect(notices).toEqual([
    expect.stringMatching(/have 4500000000 bytes, and at most 4000000000 are covered/),
  ])
})

test('old checkpoints are removed, and what only they contained', async () => {
  const { root, folder, take, restore, write, files, checkpoints } = openWorkspace({
    retention: { maxCheckpoints: 3 },
  })
  for (let state = 1; state <= 6; state++) {
    write('file', `state ${state}`)
    await take()
  }
  expect((await checkpoints.list()).map(({ number }) => number)).toEqual([6, 5, 4, 3])
  expect(storedBytes(folder)).toContain('state 1')
  const [workspace] = readdirSync(join(folder, 'checkpoints'))
  const marker = join(folder, 'checkpoints', workspace!, 'collected')
  utimesSync(marker, 1, 1)
  // The next process cleans up after its first checkpoint.
  const later = createCheckpoints({
    root,
    folder,
    conversation: 'test',
    isSecret: () => false,
    onNotice: () => {},
    retention: { maxCheckpoints: 3 },
  })
  await actions(root, later).take()
  await expect.poll(() => storedBytes(folder), { timeout: 20_000 }).not.toContain('state 1')
  await later.close()
  for (const number of [4, 5, 6]) {
    await restore(number)
    expect(files()).toEqual({ file: `file state ${number}` })
  }
})

test('checkpoints of folders that are not used any more are removed', async () => {
  const { folder, take, write, checkpoints } = openWorkspace()
  write('a', '1')
  await take()
  await removeOldCheckpoints({ folder })
  expect(await checkpoints.list()).toHaveLength(1)
  await checkpoints.close()
  await removeOldCheckpoints({ folder, now: Date.now() + 31 * 24 * 3_600_000 })
  expect(readdirSync(join(folder, 'checkpoints'))).toEqual([])
})

test('a damaged index or list entry is ignored', async () => {
  const { folder, take, restore, write, files, notices, checkpoints } = openWorkspace()
  write('a', '1')
  write('b', 'only in the first checkpoint')
  const number = await take()
  const workspace = join(folder, 'checkpoints', readdirSync(join(folder, 'checkpoints'))[0]!)
  writeFileSync(join(workspace, 'index'), 'garbage')
  writeFileSync(join(workspace, 'list', '7.json'), '{"tree":')
  write('a', '2')
  write('b', '2')
  await take()
  expect(notices).toEqual([])
  expect((await checkpoints.list()).map(({ number }) => number)).toEqual([8, 1])
  await restore(number)
  expect(files()).toEqual({ a: 'file 1', b: 'file only in the first checkpoint' })
})

test('content that is missing in the shadow repository is reported', async () => {
  const { folder, take, restore, write, files } = openWorkspace()
  write('a', '1')
  write('b', 'lost')
  const number = await take()
  const objects = join(folder, 'checkpoints', readdirSync(join(folder, 'checkpoints'))[0]!, 'git', 'objects')
  const blob = execFileSync('git', ['hash-object', '--stdin'], { input: 'lost', encoding: 'utf8' }).trim()
  rmSync(join(objects, blob.slice(0, 2), blob.slice(2)))
  write('a', '2')
  write('b', '2')
  const { failed } = await restore(number)
  expect(failed).toEqual([{ path: 'b', message: 'its content is missing in the checkpoint' }])
  expect(files()).toEqual({ a: 'file 1', b: 'file 2' })
})

test('the state folder inside of the workspace is not covered', async () => {
  const { root, checkpoints } = openWorkspace()
  await checkpoints.close()
  const inside = createCheckpoints({
    root,
    folder: join(root, '.local', 'state [x]'),
    conversation: 'test',
    isSecret: () => false,
    onNotice: (message) => expect.unreachable(message),
  })
  const { take, restore, write } = actions(root, inside)
  write('a', '1')
  const number = await take()
  write('a', '2')
  await take()
  const { changes } = await inside.plan(number, { signal: new AbortController().signal })
  expect(changes.map(({ path }) => path)).toEqual(['a'])
  await restore(number)
  expect(existsSync(join(root, '.local', 'state [x]', 'checkpoints'))).toBe(true)
  await inside.close()
})

/** Everything in the shadow repositories. */
function storedBytes(folder: string): string {
  return readdirSync(join(folder, 'checkpoints'))
    .map((name) => join(folder, 'checkpoints', name, 'git'))
    .map((path) => git(path, '--git-dir', path, 'cat-file', '--batch-all-objects', '--batch'))
    .join('')
}
