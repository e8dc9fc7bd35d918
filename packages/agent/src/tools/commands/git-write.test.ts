import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorkspace } from '../../workspace/create-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { gitWrite } from './git-write.ts'

let root = ''
let workspace: Workspace
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-git-write-')))
  mkdirSync(join(root, 'sub'))
  mkdirSync(join(root, '.git'))
  workspace = createWorkspace({ root })
})
afterAll(() => rmSync(root, { recursive: true }))

test.each([
  ['git add -A', ['add', '-A']],
  ['git add a "b c" \'*.ts\' 2>&1', ['add', 'a', 'b c', '*.ts']],
  ['git commit -am "Fix it\n\nBecause."', ['commit', '-am', 'Fix it\n\nBecause.']],
  ['git commit --message=x --amend --no-edit', ['commit', '--message=x', '--amend', '--no-edit']],
  ['git checkout -b topic', ['checkout', '-b', 'topic']],
  ['git checkout main -- a', ['checkout', 'main', '--', 'a']],
  ['git commit -m -x', ['commit', '-m', '-x']],
  ['git stash', ['stash']],
  ['git stash pop', ['stash', 'pop']],
  ['git branch -d old', ['branch', '-d', 'old']],
  ['git tag v1', ['tag', 'v1']],
  ['git merge --no-ff topic', ['merge', '--no-ff', 'topic']],
  ['git init', ['init']],
])('with a writable repository: %s', (command, args) => {
  const found = gitWrite(command, root, workspace)
  expect(found).toMatchObject({
    args,
    cwd: root,
    repository: command === 'git init' ? null : join(root, '.git'),
  })
  expect(found?.reason).toContain(`changes the repository ${join(root, '.git')}, and runs its hooks`)
})

test('-C leads to a folder of the workspace', () => {
  expect(gitWrite('git -C sub add a', root, workspace)).toMatchObject({
    args: ['add', 'a'],
    cwd: join(root, 'sub'),
  })
  for (const folder of ['..', '/', 'sub/../..', '~', '$HOME', '']) {
    expect(gitWrite(`git -C ${folder} add a`, root, workspace), folder).toBeNull()
    expect(gitWrite(`git -C sub -C ${folder} add a`, root, workspace), folder).toBeNull()
  }
})

test('only in a repository, except for git init', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-no-repository-')))
  const other = createWorkspace({ root: folder })
  expect(gitWrite('git add a', folder, other)).toBeNull()
  expect(gitWrite('git init', folder, other)).toMatchObject({ args: ['init'], repository: null })
  rmSync(folder, { recursive: true })
})

test.each([
  // More than one command, or one that only a shell understands.
  'git add a && git commit -m x',
  'git add a; ls',
  'git add a | cat',
  'git add a &',
  'git add *.ts',
  'git add ~/a',
  'git commit -m "$(cat a)"',
  'git commit -m "$x"',
  'git commit -m `a`',
  'git add a > b',
  'A=b git add a',
  'env git add a',
  '/usr/bin/git add a',
  './git add a',
  // Commands that only read, or need the network.
  'git',
  'git status',
  'git log',
  'git branch',
  'git branch -a',
  'git tag',
  'git tag -l',
  'git stash list',
  'git stash show',
  'git fetch',
  'git pull',
  'git push',
  'git clone a b',
  'git remote add a b',
  // Other programs, other files, other repositories, or a terminal.
  'git -c core.fsmonitor=x add a',
  'git --exec-path=/x add a',
  'git --git-dir=/x add a',
  'git --work-tree=/ add a',
  'git -p add a',
  'git config core.hooksPath x',
  'git rebase --exec x main',
  'git rebase -x x main',
  'git rebase -i main',
  'git rebase -qx x main',
  'git submodule foreach x',
  'git bisect run x',
  'git filter-branch --tree-filter x',
  'git merge -s x topic',
  'git merge --strategy=x topic',
  'git commit -F /etc/passwd',
  'git commit -aF /etc/passwd',
  'git commit --fil=/etc/passwd',
  'git commit -t /etc/passwd',
  'git commit --pathspec-from-file=/etc/passwd',
  'git commit -S',
  'git commit -p',
  'git add -p',
  'git add -f .env',
  'git add --force .env',
  'git add --pathspec-from-file=/etc/passwd',
  'git tag -F /etc/passwd v1',
  'git tag -s v1',
  'git stash -u',
  'git stash --all',
  'git init --template=x',
  'git init --separate-git-dir=/x',
  'git init /x',
  'git worktree add /x',
  'git difftool -x y',
  'git st',
  'git constructor',
])('in the sandbox: %s', (command) => {
  expect(gitWrite(command, root, workspace)).toBeNull()
})
