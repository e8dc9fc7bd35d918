import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkSandbox, commandTools, createWorkspace, fileTools, searchTools } from '@curfew/agent/tools'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { setUpCommands } from './support/command-setup.ts'
import { createRepository, git } from './support/git-repository.ts'

const problem = await checkSandbox('workspace')
if (problem !== null) process.stdout.write(`tests of ways out of the sandbox are skipped: ${problem}\n`)

const setUp = () => {
  const set = setUpCommands({ sandbox: 'workspace' }, { ask: () => 'once' })
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(set.folder, path)), { recursive: true })
    writeFileSync(join(set.folder, path), content)
  }
  const link = (path: string, target: string): void => {
    mkdirSync(dirname(join(set.folder, path)), { recursive: true })
    symlinkSync(target, join(set.folder, path))
  }
  return { ...set, write, link, read: (path: string) => readFileSync(join(set.folder, path), 'utf8') }
}

/** In the home folder: /tmp is empty in the sandbox. */
function temporaryHome(): string {
  const home = realpathSync(mkdtempSync(join(homedir(), '.curfew-home-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.runIf(problem === null)('a command in the sandbox', () => {
  test('cannot read what links with the names of secret files lead to', async () => {
    const { run, folder, write, link } = setUp()
    const outside = temporaryHome()
    writeFileSync(join(outside, 'shared'), 'canary')
    mkdirSync(join(outside, 'keys'))
    writeFileSync(join(outside, 'keys/a'), 'canary')
    for (const path of ['config/prod.settings', 'deep/app/settings']) write(path, 'canary')
    write('seen', 'visible')
    link('.env', 'config/prod.settings')
    link('deep/app/.env', 'settings')
    link('.env.local', join(outside, 'shared'))
    link('sub/.ssh', join(outside, 'keys'))
    link('loop.pem', '..')
    link('null.pem', '/dev/null')
    // The tools for files agree, also before a command has run.
    const workspace = createWorkspace({ root: folder })
    expect(workspace.restrictRead('config/prod.settings')).toMatchObject({ verdict: 'deny' })
    expect(workspace.restrictRead('seen')).toBeNull()
    const { content } = await run(
      `cat seen config/* deep/app/* .env* ${outside}/* ${outside}/keys/*; mv config x; grep -r canary .`,
    )
    expect(content).toContain('visible')
    expect(content).not.toContain('canary')
    // Not after removing the links either.
    expect((await run('rm .env deep/app/.env')).status).toBe('success')
    expect((await run(`cat config/* deep/app/* ${outside}/shared`)).content).not.toContain('canary')
  })

  test('cannot change what links in .git and in protected folders lead to', async () => {
    const set = setUp()
    const { run, folder, write, link, read } = set
    createRepository(folder)
    createRepository(join(folder, 'vendor/lib'))
    git(folder, 'config', 'core.hooksPath', 'own/hooks')
    const links = {
      '.git/hooks/pre-commit': 'scripts/pre-commit',
      '.git/modules/a/hooks/pre-push': 'scripts/pre-push',
      'vendor/lib/.git/hooks/post-merge': 'scripts/post-merge',
      '.vscode/tasks.json': 'config/tasks',
      'app/.claude/settings.json': 'config/claude',
      'own/hooks/pre-commit': 'scripts/own',
    }
    for (const [path, target] of Object.entries(links)) {
      write(target, 'good')
      link(path, join(folder, target))
    }
    // A link in a folder that a link leads to.
    for (const name of ['nested', 'other']) write(`scripts/${name}`, 'good')
    link('hooks/a', '../scripts/nested')
    link('.git/info/b', '../../hooks')
    const targets = [...Object.values(links), 'scripts/nested']
    expect(
      await run(`for f in ${targets.join(' ')}; do echo evil > $f; done; mv scripts x; rm -r hooks; true`),
    ).toMatchObject({ status: 'success' })
    for (const target of targets) expect(read(target), target).toBe('good')
    expect(await run('echo changed > scripts/other')).toMatchObject({ value: { exit_code: 0 } })
    const workspace = createWorkspace({ root: folder })
    expect(workspace.restrictWrite('scripts/pre-commit')).toMatchObject({ verdict: 'ask' })
    expect(workspace.restrictWrite('scripts/nested')).toMatchObject({ verdict: 'ask' })
    expect(workspace.restrictWrite('scripts/other')).toBeNull()
  })

  test('cannot get a hook by replacing a link between it and its file', async () => {
    const { run, folder, write, link } = setUp()
    createRepository(folder)
    write('scripts/real', 'good')
    link('scripts/hook', 'real')
    link('.git/hooks/pre-commit', '../../scripts/hook')
    write('kept/a', 'good')
    // A link that it creates protects nothing, and is moved away.
    await run(
      'rm scripts/hook; echo evil > scripts/hook; mkdir -p sub/.vscode; ln -s ../../kept sub/.vscode/a',
    )
    expect(readdirSync(join(folder, 'scripts'))).toEqual(['real'])
    expect(readdirSync(join(folder, 'sub'))).toEqual([])
    expect(readdirSync(join(folder, 'kept'))).toEqual(['a'])
  })

  test('cannot keep a file with permissions by creating a link to it', async () => {
    const { run, folder } = setUp()
    await run('mkdir sub; echo x > sub/AGENTS.md; ln -s AGENTS.md sub/CLAUDE.md')
    expect(readdirSync(join(folder, 'sub'))).toEqual([])
  })

  test('cannot keep files with permissions in a package that a link leads to', async () => {
    const { run, folder, link } = setUp()
    link('packages/a/node_modules', '../../node_modules')
    mkdirSync(join(folder, 'node_modules/y'), { recursive: true })
    const create = (name: string) =>
      `mkdir -p node_modules/${name}/.vscode; echo x > node_modules/${name}/AGENTS.md`
    const { content } = await run(`${create('x')}; ${create('y')}; ln -s node_modules/x app`)
    expect(content).toMatch(/node_modules\/x\/AGENTS\.md .*was moved to/)
    expect(readdirSync(join(folder, 'app'))).toEqual([])
    expect(readdirSync(join(folder, 'node_modules/y')).toSorted()).toEqual(['.vscode', 'AGENTS.md'])
  })

  test('sees no keys that are created while it runs, and no FIFOs next to them', async () => {
    const home = temporaryHome()
    vi.stubEnv('HOME', home)
    const keys = [
      '.cargo/credentials.toml',
      '.m2/settings.xml',
      '.config/git/credentials',
      '.ssh/id',
      '.npmrc',
    ]
    for (const name of ['.cargo/bin', '.m2', '.config/git', 'dotfiles'])
      mkdirSync(join(home, name), { recursive: true })
    writeFileSync(join(home, '.cargo/bin/x'), 'visible')
    symlinkSync('dotfiles/netrc', join(home, '.netrc'))
    spawnSync('mkfifo', [join(home, 'fifo')])
    const { run, call, folder } = setUp()
    const files = [...keys, '.netrc', 'dotfiles/netrc'].map((name) => `~/${name}`).join(' ')
    const { task } = (await run(
      `cat ~/.cargo/bin/x; while ! test -e go; do sleep 0.05; done; cat ${files}; ls -a ~; echo end; sleep 100`,
      { background: true },
    )) as unknown as { task: number }
    mkdirSync(join(home, '.ssh'))
    rmSync(join(home, '.netrc'))
    for (const name of [...keys, 'dotfiles/netrc', '.netrc']) writeFileSync(join(home, name), 'canary')
    writeFileSync(join(folder, 'go'), '')
    const read = () => call('read_output', { task })
    await until(async () => (await read()).content.includes('end'))
    const { content } = await read()
    expect(content).toContain('visible')
    expect(content).not.toMatch(/canary|fifo/)
  })

  test('has a read-only /proc, and no descriptors but the first three', async () => {
    const { run } = setUp()
    const { value } = (await run(
      `for f in /proc/sys/kernel/core_pattern /proc/self/oom_score_adj; do { : >> $f; } 2>/dev/null && echo opened $f; done
       unshare -Ur mount -o remount,rw /proc 2>/dev/null && echo mounted
       for f in /proc/self/fd/*; do [ -L $f ] && ! [ $f -ef /dev/null ] && echo \${f##*/}; done; echo a > /proc/self/fd/1`,
    )) as unknown as { value: { stdout: string } }
    expect(value.stdout).toBe('1\n2\na')
  })

  test('cannot redirect a search: ripgrep, which follows links on the way, is not used', async () => {
    const { folder, stateFolder, runtime, call, write } = setUp()
    const program = join(stateFolder, 'rg')
    writeFileSync(program, `#!/bin/sh\ntouch ${stateFolder}/used; exit 1\n`, { mode: 0o755 })
    write('a', 'needle')
    const workspace = createWorkspace({ root: folder })
    runtime.register(searchTools(workspace, { ripgrep: program }))
    commandTools(workspace, { runtime, sandbox: 'workspace', stateFolder })
    expect(await call('search_files', { pattern: 'needle' })).toMatchObject({
      content: expect.stringContaining('a\n1: needle'),
    })
    expect(readdirSync(stateFolder)).not.toContain('used')
  })
})

test('a file that a server runs is protected, also through a link', async () => {
  const { folder, runtime, call, write, link } = setUp()
  write('real/server.mjs', 'good')
  link('tools', 'real')
  const workspace = createWorkspace({ root: folder, protectedFolders: [join(folder, 'tools/server.mjs')] })
  for (const path of ['real/server.mjs', 'tools/server.mjs', '.direnv/bin/rc'])
    expect(workspace.restrictWrite(path)).toMatchObject({ verdict: 'ask' })
  expect(workspace.whyProtected(join(folder, 'tools/server.mjs'))).not.toBeNull()
  runtime.register(fileTools(workspace))
  expect(await call('write_file', { path: 'real/other.mjs', content: 'x' })).toMatchObject({
    status: 'success',
  })
})
