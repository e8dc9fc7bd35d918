import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { checkSandbox } from '@curfew/agent/tools'
import { describe, expect, test } from 'vitest'
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

describe.runIf(problem === null)('git with the sandbox', () => {
  test('commands that change the repository run outside of it, with approval, and with hooks', async () => {
    const { run, folder, restrictions } = setUp()
    writeFileSync(
      join(folder, '.git/hooks/pre-commit'),
      '#!/bin/sh\necho hook; test -w .git/config && echo outside\n',
    )
    chmodSync(join(folder, '.git/hooks/pre-commit'), 0o755)
    writeFileSync(join(folder, 'a'), 'a')
    expect(await run('git add -A')).toMatchObject({ value: { exit_code: 0 } })
    expect((await run('git commit -m "second commit"')).content).toMatch(/hook\noutside/)
    expect(git(folder, 'log', '--format=%s')).toBe('second commit\nfirst\n')
    expect(restrictions).toEqual([
      expect.stringMatching(/^git add runs outside of the sandbox, with the repository's hooks, filters/),
      expect.stringMatching(/^git commit runs outside of the sandbox/),
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
      message: expect.stringMatching(/git is running outside of the sandbox/),
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

  test('git of the workspace is not run', async () => {
    const { run, folder } = setUp()
    writeFileSync(join(folder, 'git'), '#!/bin/sh\ntouch ran\n')
    chmodSync(join(folder, 'git'), 0o755)
    const before = process.env.PATH
    process.env.PATH = `.${delimiter}${before}`
    try {
      await run('git commit --allow-empty -m x')
    } finally {
      process.env.PATH = before
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false)
    expect(readFileSync(join(folder, '.git/HEAD'), 'utf8')).toContain('main')
    expect(git(folder, 'log', '--format=%s')).toBe('x\nfirst\n')
  })
})
