import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** Runs git in a folder, as a user who has a name. */
export function git(folder: string, ...args: string[]): string {
  const user = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
  const { status, stdout, stderr } = spawnSync('git', [...user, ...args], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')} exited with code ${status}: ${stderr}`)
  return stdout
}

/** A repository with one commit. */
export function createRepository(folder: string): void {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q', '-b', 'main')
  git(folder, 'config', 'user.name', 'a')
  git(folder, 'config', 'user.email', 'a@b.c')
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first')
}
