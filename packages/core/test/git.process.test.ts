import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isTracked, PrivateGit, runApprovedGit } from '@curfew/core/internal'
import { expect, onTestFinished, test } from 'vitest'

/** A repository with a staged file, whose hook and file system monitor leave traces. */
function repository() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-git-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const root = join(base, 'project')
  execFileSync('git', ['init', '-q', root])
  writeFileSync(join(root, 'a file [x]'), '1')
  execFileSync('git', ['-C', root, 'add', '.'])
  const hook = join(root, '.git/hooks/pre-commit')
  writeFileSync(hook, `#!/bin/sh\necho hook >> ${base}/trace\n`)
  chmodSync(hook, 0o755)
  writeFileSync(
    join(root, '.git/config'),
    `[user]\n\tname = a\n\temail = a@b\n[core]\n\tfsmonitor = "echo monitor >> ${base}/trace; false"\n`,
    { flag: 'a' },
  )
  const trace = () => (existsSync(`${base}/trace`) ? readFileSync(`${base}/trace`, 'utf8') : '')
  return { base, root, trace }
}

const { signal } = new AbortController()

test('a private repository runs nothing that the one of the project names', async () => {
  const { base, root, trace } = repository()
  const git = await PrivateGit.open(join(base, 'private'))
  const index = join(base, 'index')
  const output = await git.run({ args: ['ls-files', '--others'], index, workTree: root, signal })
  expect(output.toString()).toBe('a file [x]\n')
  expect(await isTracked(join(root, 'a file [x]'), signal)).toBe(true)
  expect(await isTracked(join(root, 'a file x'), signal)).toBe(false)
  expect(await isTracked(join(base, 'outside'), signal)).toBe(false)
  expect(trace()).toBe('')
})

test('an approved command runs hooks, and waits for neither an editor nor a password', async () => {
  const { root, trace } = repository()
  const inSandbox = <Argv>(argv: Argv): Argv => argv
  const result = await runApprovedGit({
    args: ['commit', '-qm', 'one'],
    cwd: root,
    env: { HOME: root },
    inSandbox,
  })
  expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 })
  expect(trace()).toContain('hook')
  const amended = await runApprovedGit({
    args: ['commit', '--amend'],
    cwd: root,
    env: { HOME: root },
    inSandbox,
  })
  expect(amended).toMatchObject({ outcome: 'exited', exitCode: 0 })
})
