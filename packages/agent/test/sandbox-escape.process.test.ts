import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { checkSandbox, createWorkspace, fileTools } from '@curfew/agent/tools'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { setUpCommands } from './support/command-setup.ts'
import { createRepository, git } from './support/git-repository.ts'

const problem = await checkSandbox('workspace')
if (problem !== null) process.stdout.write(`tests of ways out of the sandbox are skipped: ${problem}\n`)

const setUp = (addedFolders: readonly string[] = []) =>
  setUpCommands({ sandbox: 'workspace' }, { ask: () => 'once' }, addedFolders)

/** A command that writes an index with one file. */
const index = (name: string): string => {
  const entry = Buffer.alloc(Math.ceil((62 + name.length + 1) / 8) * 8)
  entry.writeUInt32BE(0o100644, 24)
  entry.writeUInt16BE(Math.min(name.length, 0xfff), 60)
  entry.write(name, 62)
  const content = Buffer.concat([Buffer.from('DIRC\0\0\0\x02\0\0\0\x01'), entry])
  const all = Buffer.concat([content, createHash('sha1').update(content).digest()])
  return `echo ${all.toString('base64')} | base64 -d > .git/index`
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.runIf(problem === null)('a command in the sandbox', () => {
  test.each([
    ['paths that are too long', 'n=$(printf %0200d); for i in $(seq 25); do mkdir $n && cd -P $n; done'],
    ['folders that can be listed, but not entered', 'mkdir -p closed/sub; chmod 444 closed'],
  ])('cannot keep what it creates by creating %s', async (_name, command) => {
    const { run, folder, stateFolder } = setUp()
    const evil = 'git init -q sub; git -C sub config core.fsmonitor x; mkdir app; echo x > app/AGENTS.md'
    try {
      await run(`${evil}; ${command}`)
      expect(existsSync(join(folder, 'sub/.git'))).toBe(false)
      expect(readdirSync(join(folder, 'app'))).toEqual([])
      // The next one is not prevented.
      expect(await run('true')).toMatchObject({ value: { exit_code: 0 } })
    } finally {
      // Node cannot remove such paths.
      spawnSync('sh', ['-c', 'chmod -R u+rwx "$@"; rm -rf "$@"', 'sh', folder, stateFolder])
    }
  })

  test.each([
    ['uses the network for any command', 'git config remote.origin.promisor true'],
    ['writes through a link', 'rm .git/logs/HEAD; ln -s ../../../a .git/logs/HEAD'],
    ['writes through a hard link', 'ln .git/logs/HEAD ../a'],
    ['waits for a FIFO', 'rm .git/logs/HEAD; mkfifo .git/logs/HEAD'],
    ['has a branch elsewhere', 'ln -sf ../../a .git/HEAD'],
    ['contains another one', 'mkdir -p .git/objects/evil; cp -r ../kept/.git .git/objects/evil/'],
    ['contains another one in its refs', 'cp -r ../kept/.git .git/refs/heads/evil'],
    ['contains instructions', 'echo x > .git/refs/heads/AGENTS.md'],
    // Git does not check the paths in an index, and `git checkout .` writes them.
    ['writes into .git', index('.git/hooks/post-checkout')],
    ['writes elsewhere', index('../../outside')],
    ['writes to absolute paths', index('/tmp/outside')],
    ['has an index that git may read in another order', `${index('a')}; printf IEOT >> .git/index`],
    ['has an index that takes long to check', index('a'.repeat(5_000))],
    ['names a program as a remote', `printf '[branch "x"]\\n\\tremote =  --upload-pack=x\\n' >> .git/config`],
  ])('cannot keep a repository that %s', async (_name, command) => {
    const { run, folder } = setUp()
    const author = '-c user.name=a -c user.email=a@b.c'
    const { content } = await run(
      `git init -q sub; cd sub; git ${author} commit -q --allow-empty -m x; git init -q ../kept; ${command}`,
    )
    expect(content).toMatch(/sub\/\.git \(a repository, which may run programs\) appeared/)
    expect(existsSync(join(folder, 'sub/.git'))).toBe(false)
    expect(existsSync(join(folder, 'kept/.git'))).toBe(true)
  })

  test('cannot rename what is mounted in namespaces of its own', async () => {
    const { run } = setUp()
    expect(await run('unshare --user --mount true')).toMatchObject({ value: { exit_code: 1 } })
  })

  test('cannot keep files with permissions whose names or folders are those of secrets', async () => {
    const { run, folder } = setUp()
    writeFileSync(join(folder, '.npmrc'), 'canary')
    const { content } = await run(
      'cat .npmrc; mkdir app; echo script-shell=x > app/.npmrc; git init -q my.env; git -C my.env config core.fsmonitor x',
    )
    expect(content).not.toContain('canary')
    expect(content).toMatch(/app\/\.npmrc .* appeared .*was moved to/)
    expect(existsSync(join(folder, 'app/.npmrc'))).toBe(false)
    expect(existsSync(join(folder, 'my.env/.git'))).toBe(false)
    expect(readFileSync(join(folder, '.npmrc'), 'utf8')).toBe('canary')
  })

  test('sees nothing of hidden folders next to protected ones, if the home folder is the workspace', async () => {
    const { run, folder } = setUp()
    vi.stubEnv('HOME', folder)
    for (const path of ['.config/fish/a', '.config/gh/a', '.ssh/a', '.config/op/a', '.codex/auth.json']) {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      writeFileSync(join(folder, path), 'canary')
    }
    expect(
      await run('cat .config/fish/a; cat .config/gh/a .config/op/a .ssh/a .codex/auth.json'),
    ).toMatchObject({
      value: { stdout: 'canary' },
    })
  })

  test('cannot get other folders into the workspace by moving one that was added', async () => {
    const outer = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-outer-'))
    const other = mkdtempSync(join(homedir(), '.curfew-other-'))
    mkdirSync(join(outer, 'a/b'), { recursive: true })
    const { run } = setUp([outer, join(outer, 'a/b')])
    try {
      await run(`mv a moved; mkdir a; ln -s ${relative(join(outer, 'a'), other)} a/b`, { cwd: outer })
      await run(`echo evil > ${other}/evil`, { cwd: outer })
      expect(readdirSync(other)).toEqual([])
    } finally {
      for (const one of [outer, other]) rmSync(one, { recursive: true })
    }
  })

  test('does not start if a folder with a protected file is replaced before it is mounted', async () => {
    const home = mkdtempSync(join(homedir(), '.curfew-home-'))
    vi.stubEnv('TMPDIR', home)
    const { run, folder, stateFolder } = setUp()
    const other = join(home, 'other')
    for (const path of [join(folder, 'sub'), other]) mkdirSync(path)
    writeFileSync(join(folder, 'sub/AGENTS.md'), '')
    // So that the guard does not notice it.
    linkSync(join(folder, 'sub/AGENTS.md'), join(other, 'AGENTS.md'))
    // It does what another command could do at that moment.
    const bwrap = spawnSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).stdout.trim()
    const swap = `fs.renameSync('sub', 'moved'); fs.symlinkSync('../other', 'sub')`
    const script = `cd ${folder} && ${process.execPath} -e "${swap}" && exec ${bwrap} "$@"`
    writeFileSync(join(stateFolder, 'bwrap'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    vi.stubEnv('PATH', stateFolder + delimiter + process.env.PATH)
    try {
      const { content } = await run(`echo started; echo evil > ${other}/evil`)
      expect(content).toMatch(/sub.* was replaced/)
      expect(content).not.toContain('started')
      expect(readdirSync(other)).toEqual(['AGENTS.md'])
    } finally {
      rmSync(home, { recursive: true })
    }
  })

  test('does not start if something else is mounted on a folder with a protected file', async () => {
    const home = mkdtempSync(join(homedir(), '.curfew-home-'))
    vi.stubEnv('TMPDIR', home)
    const { run, folder, stateFolder } = setUp()
    const other = join(home, 'other')
    for (const path of [join(folder, 'sub dir'), other]) {
      mkdirSync(path)
      writeFileSync(join(path, 'AGENTS.md'), '')
    }
    expect(await run('echo x > "sub dir/x"')).toMatchObject({ value: { exit_code: 0 } })
    // bubblewrap resolves what it mounts before where: a command can replace the folder by a link for the first, but not the second.
    const bwrap = spawnSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).stdout.trim()
    const [from, to] = [join(folder, 'sub dir'), other].map((path) => JSON.stringify(path))
    const script = `
      const args = process.argv.slice(2).map((arg, index, all) =>
        all[index - 1]?.endsWith('bind-try') ? arg.replace(${from}, ${to}) : arg)
      const { spawnSync } = require('node:child_process')
      process.exit(spawnSync('${bwrap}', args, { stdio: 'inherit' }).status)`
    writeFileSync(join(stateFolder, 'bwrap'), `#!${process.execPath}\n${script}\n`, { mode: 0o755 })
    vi.stubEnv('PATH', stateFolder + delimiter + process.env.PATH)
    try {
      const { content } = await run('echo started; echo evil > "sub dir/evil"')
      expect(content).toMatch(/sub.*dir was replaced/)
      expect(content).not.toContain('started')
      expect(readdirSync(other)).toEqual(['AGENTS.md'])
    } finally {
      rmSync(home, { recursive: true })
    }
  })

  test('cannot read secrets after it has renamed the folder around them', async () => {
    const { run, folder } = setUp()
    mkdirSync(join(folder, 'sub/.docker'), { recursive: true })
    writeFileSync(join(folder, 'sub/.docker/config.json'), 'canary')
    writeFileSync(join(folder, 'move.sh'), 'mv sub/.docker sub/a; mv sub b')
    await run('sh move.sh')
    expect(await run('cat */*/*')).not.toMatchObject({ value: { stdout: 'canary' } })
    expect(readFileSync(join(folder, 'sub/.docker/config.json'), 'utf8')).toBe('canary')
  })

  test('cannot keep a repository in a folder of node_modules with a protected name', async () => {
    const { run, folder } = setUp()
    const repository = 'node_modules/.vscode/dep'
    await run(
      `mkdir -p ${repository}; git init -q ${repository}; git -C ${repository} config core.fsmonitor x`,
    )
    expect(readdirSync(join(folder, repository))).toEqual([])
  })

  test('does not lose the workspace by making it a repository', async () => {
    const { run, folder } = setUp()
    const { content } = await run(
      'mkdir objects refs app; echo x > app/AGENTS.md; echo ref: refs/heads/a > HEAD',
    )
    expect(content).toMatch(/HEAD \(a repository, .*was moved to/)
    expect(readdirSync(folder).toSorted()).toEqual(['app', 'objects', 'refs'])
    expect(readdirSync(join(folder, 'app'))).toEqual([])
    expect(await run('true')).toMatchObject({ value: { exit_code: 0 } })
  })

  test('cannot read secrets in protected folders', async () => {
    const { run, folder } = setUp()
    mkdirSync(join(folder, '.devcontainer/a/node_modules'), { recursive: true })
    for (const path of ['.env', 'a/.env', 'Dockerfile', 'a/Dockerfile'])
      writeFileSync(join(folder, '.devcontainer', path), `canary of ${path}\n`)
    writeFileSync(join(folder, 'read.sh'), 'grep -rhs canary .; echo x > .devcontainer/a/new')
    const { value } = (await run('sh read.sh')) as unknown as { value: { stdout: string; stderr: string } }
    expect(
      value.stdout
        .split('\n')
        .filter((line) => line.startsWith('canary'))
        .toSorted(),
    ).toEqual(['canary of Dockerfile', 'canary of a/Dockerfile'])
    expect(value.stderr).toMatch(/read-only/i)
  })

  test('does not run in a workspace with folders whose names are not valid UTF-8', async () => {
    const { run } = setUp()
    const { content } = await run(`mkdir app $'app\\xff'; echo x > app/AGENTS.md; git init -q $'app\\xff'`)
    expect(content).toMatch(/app\/AGENTS\.md .*was moved to/)
    expect(content).toMatch(/app\ufffd .* appeared, and could not be moved away/)
    const blocked =
      /check .* did not succeed: app\ufffd .*its name is not valid UTF-8; rename it; no command runs/
    expect((await run('echo started')).content).toMatch(blocked)
  })

  test('cannot get hooks by replacing a link on the way to them', async () => {
    const { run, folder } = setUp()
    createRepository(folder)
    mkdirSync(join(folder, 'old/hooks'), { recursive: true })
    symlinkSync('old', join(folder, 'link'))
    git(folder, 'config', 'core.hooksPath', 'link/hooks')
    await run('mkdir -p new/hooks; echo x > new/hooks/pre-commit; rm link; ln -s new link')
    expect(readdirSync(join(folder, 'new'))).toEqual([])
  })

  test.each(['AGENTS.md', 'sub/AGENTS.md'])('cannot change %s while a tool writes it', async (name) => {
    const { run, call, folder, runtime } = setUp()
    runtime.register(fileTools(createWorkspace({ root: folder })))
    mkdirSync(join(folder, 'sub'))
    const script =
      'trap "" TERM; while :; do echo evil > AGENTS.md; done & while :; do ln sub/.*.tmp kept; done'
    const { task } = (await run(`(${script}) 2>/dev/null`, { background: true })) as unknown as {
      task: number
    }
    const written = await call('write_file', { path: name, content: 'good' })
    expect(written).toMatchObject({ status: 'success' })
    await until(async () => (await call('read_output', { task })).content.includes('failed'))
    expect(readFileSync(join(folder, name), 'utf8')).toBe('good')
    expect(statSync(join(folder, name)).nlink).toBe(1)
  })

  test('ends if a protected file cannot be looked up any more', async () => {
    const { run, call, folder } = setUp()
    createRepository(join(folder, 'vendor/lib'))
    const { task } = (await run('sleep 100', { background: true })) as unknown as { task: number }
    renameSync(join(folder, 'vendor'), join(folder, 'moved'))
    writeFileSync(join(folder, 'vendor'), 'a file')
    const read = () => call('read_output', { task })
    await until(async () => (await read()).content.includes('failed'))
    expect((await read()).content).toContain('vendor/lib/.git was replaced or removed')
  })

  test('gets no secrets into the repository with the stash of a rebase or merge', async () => {
    const { run, folder } = setUp()
    createRepository(folder)
    writeFileSync(join(folder, '.env'), 'template')
    git(folder, 'add', '-f', '.env')
    git(folder, 'commit', '-qm', 'second')
    writeFileSync(join(folder, '.env'), 'canary')
    for (const setting of ['rebase.autoStash', 'merge.autoStash']) git(folder, 'config', setting, 'true')
    git(folder, 'branch', 'other', 'HEAD~1')
    git(
      folder,
      'update-ref',
      'refs/heads/other',
      git(folder, 'commit-tree', '-m', 'x', '-p', 'other', 'other^{tree}').trim(),
    )
    for (const command of ['git rebase --autostash other', 'git rebase other', 'git merge other'])
      await run(command)
    expect(git(folder, 'cat-file', '--batch-all-objects', '--batch')).not.toContain('canary')
  })
})
