import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git, openWorkspace, readTree } from './support/checkpoint-setup.ts'

/** A program that leaves a trace if it runs, and destroys what it is given. */
function trap(base: string): { command: string; hasRun: () => boolean } {
  const trace = join(base, 'trap-has-run')
  const command = join(base, 'trap')
  writeFileSync(command, `#!/bin/sh\necho "$0 $@" >> ${trace}\necho destroyed\n`, { mode: 0o755 })
  return { command, hasRun: () => existsSync(trace) }
}

const hooks = [
  'pre-commit',
  'post-checkout',
  'post-index-change',
  'fsmonitor-watchman',
  'reference-transaction',
  'pre-auto-gc',
]

/** A repository whose configuration runs programs wherever git allows it. */
function makeHostile(root: string, command: string): void {
  git(root, 'init', '-q')
  writeFileSync(join(root, 'file.txt'), 'one\r\ntwo $Id$\r\n')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'first')
  for (const hook of hooks) {
    mkdirSync(join(root, '.git/hooks'), { recursive: true })
    writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
  }
  writeFileSync(
    join(root, '.gitattributes'),
    '* filter=evil diff=evil merge=evil text=auto eol=crlf ident\n*.utf16 working-tree-encoding=UTF-16\n[attr]evil filter=evil\n',
  )
  const included = join(root, '.git', 'included')
  writeFileSync(
    included,
    `[filter "evil"]\n\tclean = ${command}\n\tsmudge = ${command}\n\tprocess = ${command}\n\trequired = true\n`,
  )
  for (const [key, value] of [
    ['include.path', included],
    ['core.fsmonitor', command],
    ['core.hooksPath', join(root, '.git/hooks')],
    ['core.sshCommand', command],
    ['core.pager', command],
    ['core.editor', command],
    ['diff.external', command],
    ['diff.evil.textconv', command],
    ['alias.ls-files', `!${command}`],
    ['alias.update-index', `!${command}`],
    ['core.autocrlf', 'true'],
    ['core.worktree', '/'],
    ['core.bare', 'true'],
    ['extensions.worktreeConfig', 'true'],
  ] as const)
    writeFileSync(join(root, '.git/config'), `[${sectionOf(key)}]\n\t${nameOf(key)} = ${value}\n`, {
      flag: 'a',
    })
}

function sectionOf(key: string): string {
  const [section, ...rest] = key.split('.')
  return rest.length > 1 ? `${section} "${rest[0]}"` : section!
}

function nameOf(key: string): string {
  return key.split('.').at(-1)!
}

test('nothing that a repository configures runs or changes bytes, and its own git folder stays as it is', async () => {
  const { base, root, take, restore, write, files, notices } = openWorkspace()
  const { command, hasRun } = trap(base)
  makeHostile(root, command)
  write('windows.txt', 'a\r\nb\r\n')
  write('unix.txt', 'a\nb\n')
  write('wide.utf16', Buffer.from([0xff, 0xfe, 0x61, 0x00]))
  const own = readTree(join(root, '.git'))
  const before = files()
  const number = await take()
  for (const path of ['file.txt', 'windows.txt', 'unix.txt', 'wide.utf16']) write(path, 'changed')
  expect((await restore(number)).failed).toEqual([])
  expect(files()).toEqual(before)
  expect(readTree(join(root, '.git'))).toEqual(own)
  expect(notices).toEqual([])
  expect(hasRun()).toBe(false)
})

test("nothing that the user's configuration or the environment names runs", async () => {
  const { base, take, restore, write, files } = openWorkspace()
  const { command, hasRun } = trap(base)
  const home = join(base, 'home')
  mkdirSync(home)
  writeFileSync(
    join(home, '.gitconfig'),
    `[core]\n\tfsmonitor = ${command}\n\tautocrlf = true\n\thooksPath = ${base}\n[filter "lfs"]\n\tclean = ${command}\n\tsmudge = ${command}\n\trequired = true\n[alias]\n\twrite-tree = !${command}\n[trace2]\n\teventTarget = ${join(base, 'traced')}\n`,
  )
  const variables = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'none'),
    GIT_DIR: '/nonexistent',
    GIT_INDEX_FILE: '/nonexistent/index',
    GIT_OBJECT_DIRECTORY: '/nonexistent/objects',
    GIT_EXTERNAL_DIFF: command,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: command,
    GIT_TRACE2_EVENT: join(base, 'trace'),
  }
  const saved = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  try {
    write('.gitattributes', '*.bin filter=lfs\n')
    write('data.bin', 'data\r\n')
    const before = files()
    const number = await take()
    write('data.bin', 'other')
    await restore(number)
    expect(files()).toEqual(before)
  } finally {
    for (const [name, value] of saved)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
  expect(hasRun()).toBe(false)
  expect(existsSync(join(base, 'traced'))).toBe(false)
})

test('a program named git in the workspace does not run, also if PATH contains relative folders', async () => {
  const { base, root, take, write } = openWorkspace()
  const { command, hasRun } = trap(base)
  write('bin/git', readFileSync(command), 0o755)
  write('git', readFileSync(command), 0o755)
  const path = process.env.PATH
  process.env.PATH = `.:bin:${root}/..:${path}`
  try {
    expect(await take()).toBe(1)
  } finally {
    process.env.PATH = path
  }
  expect(hasRun()).toBe(false)
})

test('a program named git in the workspace does not run, also if it is the current folder', async () => {
  const { base, root, take, write } = openWorkspace()
  const { command, hasRun } = trap(base)
  write('git', readFileSync(command), 0o755)
  const path = process.env.PATH
  const current = process.cwd()
  process.env.PATH = `.:${path}`
  process.chdir(root)
  try {
    expect(await take()).toBe(1)
  } finally {
    process.chdir(current)
    process.env.PATH = path
  }
  expect(hasRun()).toBe(false)
})

test('a worktree, a linked .git folder, a bare repository and a broken .git file', async () => {
  const { base, root, take, restore, write, files } = openWorkspace()
  const elsewhere = join(base, 'elsewhere')
  mkdirSync(elsewhere)
  git(elsewhere, 'init', '-q')
  writeFileSync(join(elsewhere, 'committed'), '1')
  git(elsewhere, 'add', '.')
  git(elsewhere, 'commit', '-qm', 'x')
  rmSync(root, { recursive: true })
  git(elsewhere, 'worktree', 'add', '-q', root)
  writeFileSync(join(elsewhere, '.git/info/exclude'), 'excluded\n')
  const check = async (number: number): Promise<void> => {
    write('committed', '2')
    write('excluded', '2')
    await restore(number)
    expect(files()).toMatchObject({ committed: 'file 1', excluded: 'file 2' })
    write('excluded', '1')
  }
  write('excluded', '1')
  const repository = readTree(join(elsewhere, '.git'))
  await check(await take())
  expect(readTree(join(elsewhere, '.git'))).toEqual(repository)
  // A link to the folder.
  rmSync(join(root, '.git'))
  symlinkSync(join(elsewhere, '.git'), join(root, '.git'))
  await check(await take())
  expect(readTree(join(elsewhere, '.git'))).toEqual(repository)
  // Files that lead nowhere, or to something that is not a repository.
  for (const content of ['gitdir: /nonexistent\n', 'gitdir: \0', 'x'.repeat(100_000), '']) {
    rmSync(join(root, '.git'))
    writeFileSync(join(root, '.git'), content)
    const number = await take()
    write('committed', '2')
    await restore(number)
    expect(files()).toMatchObject({ committed: 'file 1' })
  }
  // A bare repository inside of the workspace is covered like other files.
  git(root, '--git-dir', join(root, 'bare'), 'init', '-q', '--bare')
  const withBare = files()
  const number = await take()
  rmSync(join(root, 'bare/HEAD'))
  write('bare/config', `[core]\n\tfsmonitor = ${join(base, 'trap')}\n`)
  await restore(number)
  expect(files()).toEqual(withBare)
})

test('a hostile index of the project is ignored, and FIFOs in its place are not waited for', async () => {
  const { root, take, restore, write, files, notices } = openWorkspace()
  git(root, 'init', '-q')
  write('a', '1')
  for (const content of ['garbage', `DIRC${'\0'.repeat(200)}`]) {
    writeFileSync(join(root, '.git/index'), content)
    await take()
  }
  rmSync(join(root, '.git/index'))
  rmSync(join(root, '.git/info'), { recursive: true, force: true })
  mkdirSync(join(root, '.git/info'))
  execFileSync('mkfifo', [join(root, '.git/index'), join(root, '.git/info/exclude')])
  const number = await take()
  write('a', '2')
  await restore(number)
  expect(files()).toMatchObject({ a: 'file 1' })
  expect(notices).toEqual([])
})

test('checkpoints do not need the objects of the project', async () => {
  const { root, take, restore, write, files } = openWorkspace()
  git(root, 'init', '-q')
  write('a', '1')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'x')
  const number = await take()
  renameSync(join(root, '.git'), join(root, '..', 'moved'))
  write('a', '2')
  await restore(number)
  expect(files()).toEqual({ a: 'file 1' })
})

test('a repository of another user is covered', async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root can change the owner of files')
  const { root, take, restore, write, files } = openWorkspace()
  git(root, 'init', '-q')
  write('a', '1')
  execFileSync('chown', ['-R', '65534:65534', root])
  chmodSync(root, 0o777)
  const number = await take()
  write('a', '2')
  await restore(number)
  expect(files()).toMatchObject({ a: 'file 1' })
})

test('FIFOs that git opens are not waited for, wherever they are', async () => {
  const { root, take, restore, write, files, notices } = openWorkspace({ timeoutMs: 20_000 })
  git(root, 'init', '-q')
  write('a', '1')
  write('sub/deeper/b', '1')
  write('attributes/c', '1')
  for (const folder of ['nested/.git/objects', 'nested/.git/refs'])
    mkdirSync(join(root, folder), { recursive: true })
  const fifos = ['.gitignore', 'sub/.gitignore', 'sub/deeper/.gitignore', 'attributes/.gitattributes']
  execFileSync(
    'mkfifo',
    [...fifos, 'nested/.git/HEAD'].map((path) => join(root, path)),
  )
  const number = await take()
  for (const path of ['a', 'sub/deeper/b', 'attributes/c']) write(path, '2')
  await take()
  await restore(number)
  expect(files()).toMatchObject({ a: 'file 1', 'sub/deeper/b': 'file 1', 'attributes/c': 'file 1' })
  expect(notices).toEqual([])
})

test('a folder that became a repository while it was saved runs nothing later', async () => {
  const { base, root, folder, take, write, notices } = openWorkspace()
  const { command, hasRun } = trap(base)
  write('a', '1')
  await take()
  mkdirSync(join(root, 'sub'))
  git(join(root, 'sub'), 'init', '-q')
  write('sub/file', '1')
  git(join(root, 'sub'), 'add', '.')
  git(join(root, 'sub'), 'commit', '-qm', 'x')
  const commit = git(join(root, 'sub'), 'rev-parse', 'HEAD').trim()
  git(join(root, 'sub'), 'config', 'core.fsmonitor', command)
  // As if `sub` had been a file when it was checked, and a repository when git added it.
  const state = join(folder, 'checkpoints', readdirSync(join(folder, 'checkpoints'))[0]!)
  execFileSync('git', ['update-index', '--add', '--cacheinfo', `160000,${commit},sub`], {
    env: { PATH: process.env.PATH, GIT_DIR: join(state, 'git'), GIT_INDEX_FILE: join(state, 'index') },
  })
  write('a', '2')
  await take()
  expect(notices).toEqual([])
  expect(hasRun()).toBe(false)
})
