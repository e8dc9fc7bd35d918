import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { checkSandbox, commandTools, createWorkspace } from '@curfew/agent/tools'
import { afterAll, describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { setUpCommands } from './support/command-setup.ts'
import { createRepository, git } from './support/git-repository.ts'

const problem = await checkSandbox('workspace-offline')
if (problem !== null) process.stdout.write(`tests of git in the sandbox are skipped: ${problem}\n`)

function setUp() {
  const restrictions: (string | null)[] = []
  const set = setUpCommands(
    { sandbox: 'workspace-offline' },
    {
      ask(question) {
        if (question.kind === 'approval') restrictions.push(question.restriction)
        return 'once'
      },
    },
  )
  createRepository(set.folder)
  return { ...set, restrictions }
}

const home = mkdtempSync(join(homedir(), '.curfew-git-'))
afterAll(() => rmSync(home, { recursive: true }))

describe.runIf(problem === null)('git with the sandbox', () => {
  test('commands that change the repository run with approval and hooks, which can change nothing else', async () => {
    const { run, folder, restrictions } = setUp()
    writeFileSync(
      join(folder, '.git/hooks/pre-commit'),
      `#!/bin/sh\necho hook; echo x > .git/made; ln -s ${home}/x .git/logs/link; for i in .git/config .git/hooks/x ${home}/x; do echo x >> $i; done\n:\n`,
    )
    chmodSync(join(folder, '.git/hooks/pre-commit'), 0o755)
    writeFileSync(join(folder, 'a'), 'a')
    expect(await run('git add -A')).toMatchObject({ value: { exit_code: 0 } })
    const { content } = await run('git commit -m "second commit"')
    expect(content).toMatch(/^hook$/m)
    expect(content?.match(/Read-only file system/g)).toHaveLength(3)
    expect(content).toMatch(/\.git\/made was changed while git ran.* was moved to/)
    expect(content).toMatch(/\.git\/logs\/link was changed while git ran/)
    expect(existsSync(join(folder, '.git/made'))).toBe(false)
    expect(git(folder, 'log', '--format=%s')).toBe('second commit\nfirst\n')
    expect(restrictions).toEqual([
      `git add changes the repository ${folder}/.git, and runs its hooks, filters and other programs that its configuration names`,
      expect.stringMatching(/^git commit changes the repository /),
    ])
  })

  test('without a person, they do not run', async () => {
    const { run, folder } = setUpCommands({ sandbox: 'workspace' })
    createRepository(folder)
    expect(await run('git commit --allow-empty -m second')).toMatchObject({ code: 'DENIED' })
    expect(git(folder, 'log', '--format=%s')).toBe('first\n')
  })

  test('everything else runs in the sandbox, with a hint', async () => {
    const { run, folder, restrictions } = setUp()
    expect((await run('git log --format=%s; git status --short; git stash list')).content).toMatch(
      /^\[exit code 0.*\]\nfirst$/,
    )
    for (const command of [
      'git commit --allow-empty -m x && echo done',
      'git -c user.name=b commit --allow-empty -m x',
      'git tag v1 | cat',
    ]) {
      expect((await run(command)).content, command).toMatch(
        /\.git is read-only in the sandbox: run the git command on its own/,
      )
    }
    expect(restrictions).toEqual([])
    expect(git(folder, 'log', '--format=%s')).toBe('first\n')
    expect(git(folder, 'tag')).toBe('')
  })

  test('secrets do not get into the repository, where commands could read them', async () => {
    const { run, folder } = setUp()
    writeFileSync(join(folder, 'a'), 'a')
    writeFileSync(join(folder, '.env'), 'canary')
    mkdirSync(join(folder, 'sub'))
    for (const [command, cwd] of [
      ['git add -A', '.'],
      ['git add .', '.'],
      ['git add :/', 'sub'],
      ['git add -A', 'sub'],
      ['git add ..', 'sub'],
    ] as const)
      expect(await run(command, { cwd }), command).toMatchObject({
        code: 'DENIED',
        message: expect.stringContaining('.env'),
      })
    expect(await run('git add a')).toMatchObject({ value: { exit_code: 0 } })
    writeFileSync(join(folder, '.gitignore'), '.env\n')
    expect(await run('git add -A')).toMatchObject({ value: { exit_code: 0 } })
    expect(git(folder, 'ls-files')).toBe('.gitignore\na\n')
    git(folder, 'add', '-f', '.env')
    git(folder, 'commit', '-qm', 'x')
    writeFileSync(join(folder, '.env'), 'new canary')
    for (const command of ['git commit -am x', 'git stash'])
      expect(await run(command), command).toMatchObject({ code: 'DENIED' })
  })

  test('folders with hidden files are not renamed', async () => {
    const { run, folder } = setUp()
    mkdirSync(join(folder, 'conf'))
    for (const name of ['a', 'dev.txt']) writeFileSync(join(folder, 'conf', name), '')
    symlinkSync('conf/dev.txt', join(folder, '.env'))
    git(folder, 'add', 'conf/a')
    expect((await run('git mv conf other')).content).toMatch(/DENIED: git mv would .*conf\/dev\.txt/)
  })

  test('they and commands in the sandbox do not run at the same time', async () => {
    const { run, folder } = setUp()
    const waiting = 'touch started; while ! test -e end; do sleep 0.05; done; rm started end'
    const running = run(waiting)
    await until(() => existsSync(join(folder, 'started')))
    // The command could replace a folder by a link to one with secrets at that moment.
    expect(await run('git add -A')).toMatchObject({
      code: 'DENIED',
      message: expect.stringMatching(/a command that is running in the sandbox could change files/),
    })
    writeFileSync(join(folder, 'end'), '')
    expect(await running).toMatchObject({ value: { exit_code: 0 } })
    writeFileSync(join(folder, '.git/hooks/pre-commit'), `#!/bin/sh\n${waiting}\n`, { mode: 0o755 })
    const commit = run('git commit -q --allow-empty -m second')
    await until(() => existsSync(join(folder, 'started')))
    expect(await run('true')).toMatchObject({
      code: 'DENIED',
      message: expect.stringMatching(/git is changing a repository/),
    })
    writeFileSync(join(folder, 'end'), '')
    expect(await commit).toMatchObject({ value: { exit_code: 0 } })
    expect(await run('true')).toMatchObject({ value: { exit_code: 0 } })
  })

  test('worktrees work', async () => {
    const { run, folder } = setUp()
    git(folder, 'worktree', 'add', '-q', join(folder, 'tree'))
    writeFileSync(join(folder, 'tree/a'), 'a')
    expect(await run('git add a', { cwd: 'tree' })).toMatchObject({ value: { exit_code: 0 } })
    expect(await run('git -C tree commit -qm second')).toMatchObject({ value: { exit_code: 0 } })
    expect(git(join(folder, 'tree'), 'log', '--format=%s', '--name-only')).toBe('second\n\na\nfirst\n')
  })

  test('git and bubblewrap of the workspace are not run', async () => {
    const { run, folder } = setUp()
    for (const name of ['git', 'bwrap', 'nice'])
      writeFileSync(join(folder, name), `#!/bin/sh\ntouch ${folder}/ran\n`, { mode: 0o755 })
    const before = process.env.PATH
    process.env.PATH = ['.', folder, before].join(delimiter)
    try {
      await run('git commit --allow-empty -m x')
    } finally {
      process.env.PATH = before
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false)
    expect(readFileSync(join(folder, '.git/HEAD'), 'utf8')).toContain('main')
    expect(git(folder, 'log', '--format=%s')).toBe('x\nfirst\n')
  })

  test('links of the work tree lead neither out of the workspace nor to secrets', async () => {
    const { run, folder } = setUp()
    for (const name of ['lib', 'docs/thesis', 'keys/a', 'keys/.env']) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), 'x')
    }
    git(folder, 'add', '-f', '.')
    git(folder, 'commit', '-qm', 'x')
    writeFileSync(join(home, 'thesis'), 'precious')
    writeFileSync(join(home, '.env'), 'canary')
    for (const name of ['docs', 'keys']) {
      rmSync(join(folder, name), { recursive: true })
      symlinkSync(home, join(folder, name))
    }
    for (const command of ['git mv lib docs/lib', 'git rm -rf docs'])
      expect((await run(command)).content, command).toMatch(/cross-device|Read-only/)
    for (const command of ['git commit -m x keys/.env', 'git mv keys/.env a'])
      expect(await run(command), command).toMatchObject({ code: 'DENIED' })
    expect(readdirSync(home).toSorted()).toEqual(['.env', 'thesis'])
  })

  test('a folder that a .git file names is not writable if it is no repository', async () => {
    const { run, folder } = setUp()
    mkdirSync(join(folder, 'sub/evil'), { recursive: true })
    writeFileSync(join(folder, 'sub/.git'), 'gitdir: evil')
    writeFileSync(join(folder, 'sub/evil/HEAD'), 'ref: refs/heads/main')
    writeFileSync(join(folder, 'sub/evil/commondir'), home)
    expect(await run('git -C sub add a')).toMatchObject({
      message: expect.stringMatching(/sub\/\.git is not a repository/),
    })
  })

  test('files with permissions that git writes are moved away, and those it replaces', async () => {
    const { run, folder } = setUp()
    for (const name of ['.vscode/tasks.json', 'sub/AGENTS.md', 'CLAUDE.md', 'a']) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), 'evil')
    }
    git(folder, 'add', '.')
    git(folder, 'commit', '-qm', 'x')
    rmSync(join(folder, 'sub'), { recursive: true })
    for (const name of ['.vscode/tasks.json', 'CLAUDE.md', 'a']) writeFileSync(join(folder, name), 'mine')
    const { content } = await run('git restore .')
    for (const name of [/\.vscode/, /sub\/AGENTS\.md/, /CLAUDE\.md/])
      expect(content).toMatch(new RegExp(`${name.source} .* appeared .*was moved to`))
    expect(readdirSync(folder).toSorted()).toEqual(['.git', 'a', 'sub'])
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('evil')
  })

  test('what a hook writes into the configuration does not stay', async () => {
    const { run, folder } = setUp()
    const config = readFileSync(join(folder, '.git/config'), 'utf8')
    const hook = '#!/bin/sh\ngit config core.fsmonitor evil; git config branch.main.merge "a;b"\n'
    writeFileSync(join(folder, '.git/hooks/post-checkout'), hook, { mode: 0o755 })
    expect((await run('git switch -c topic')).content).toMatch(/config was changed while git ran/)
    expect(readFileSync(join(folder, '.git/config'), 'utf8')).toBe(config)
    rmSync(join(folder, '.git/hooks/post-checkout'))
    expect((await run('git branch -u main')).content).not.toMatch(/was changed/)
    expect(git(folder, 'config', 'branch.topic.merge')).toBe('refs/heads/main\n')
  })

  test('what a hook adds to data of the repository does not stay', async () => {
    const { run, folder } = setUp()
    const evil = `
      mkdir .git/logs/closed .git/objects/evil; chmod 0 .git/logs/closed; rm .git/logs/HEAD; ln -s ~/x .git/logs/HEAD
      cp .git/HEAD .git/objects/evil; ln -s ~ .git/objects/ab; echo x > .git/MERGE_RR
      mkdir .git/sequencer; echo "strategy = ../x" > .git/sequencer/opts; ln AGENTS.md other
      printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\1%060d\\0\\12../outside\\0' 0 > .git/index`
    writeFileSync(join(folder, 'AGENTS.md'), 'mine')
    writeFileSync(join(folder, '.git/hooks/post-checkout'), `#!/bin/sh${evil}\n`, { mode: 0o755 })
    git(folder, 'add', 'AGENTS.md')
    git(folder, 'commit', '-qm', 'x')
    const { content } = await run('git switch -c fix.the-code')
    const names = [
      'logs/closed',
      'logs/HEAD',
      'objects/evil',
      'objects/ab',
      'MERGE_RR',
      'sequencer/opts',
      'index',
    ]
    for (const name of names) expect(content).toMatch(new RegExp(`\\.git/${name} was changed while git ran`))
    expect(content).toMatch(/AGENTS\.md .* appeared/)
    rmSync(join(folder, '.git/hooks/post-checkout'))
    // A name with a dot, and a conflict: nothing of this is unknown.
    git(folder, 'reset', '-q')
    git(folder, 'config', 'rerere.enabled', 'true')
    for (const branch of ['main', 'fix.the-code']) {
      await run(`git switch -f ${branch}`)
      writeFileSync(join(folder, 'a'), branch)
      await run('git add a')
      expect((await run('git commit -m "Change a"')).content).not.toMatch(/was changed/)
    }
    expect((await run('git merge main')).content).toMatch(/CONFLICT/)
    expect((await run('git rebase main')).content).not.toMatch(/was changed/)
  })

  test('a check after it that Curfew could not do is completed by the next process', async () => {
    const { run, folder, stateFolder, runtime } = setUp()
    writeFileSync(join(folder, 'AGENTS.md'), 'mine')
    writeFileSync(join(folder, '.git/hooks/post-commit'), '#!/bin/sh\necho x > ready; sleep 1', {
      mode: 0o755,
    })
    const running = run('git commit --allow-empty -m x')
    await until(() => existsSync(join(folder, 'ready')))
    const [name = ''] = readdirSync(join(stateFolder, 'checks'))
    const record = readFileSync(join(stateFolder, 'checks', name))
    await running
    writeFileSync(join(folder, '.git/commondir'), 'lfs')
    writeFileSync(join(folder, 'AGENTS.md'), 'evil')
    writeFileSync(join(stateFolder, 'checks/7-1-1.1.json'), record)
    const findings: string[] = []
    const onFinding = (one: string): unknown => findings.push(one)
    commandTools(createWorkspace({ root: folder }), { runtime, stateFolder, onFinding })
    await until(() => findings.length === 2)
    expect(findings).toEqual([
      expect.stringMatching(/\.git\/commondir was changed/),
      expect.stringMatching(/^AGENTS\.md .* was moved/),
    ])
  })
})
