import type { ProcessOptions, ProcessResult } from '../process/process-options.ts'
import { runProcess } from '../process/run-process.ts'

export interface ApprovedGitOptions extends Omit<ProcessOptions, 'argv' | 'cwd'> {
  /** The subcommand and its arguments, such as `['commit', '-m', 'Fix it']`. */
  readonly args: readonly string[]
  /** A folder of the user's repository. */
  readonly cwd: string
}

/**
 * Runs git in the user's repository, with the user's configuration: hooks, filters and other programs that it names run, too. Only for a
 * command that the user has approved, knowing that. Git has no terminal there, so it uses the default message instead of an editor and
 * asks for no password.
 */
export async function runApprovedGit({
  args,
  cwd,
  env,
  ...options
}: ApprovedGitOptions): Promise<ProcessResult> {
  const unattended = { GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: ':', GIT_PAGER: 'cat' }
  // Not in the repository: `PATH` may contain relative folders.
  return await runProcess({
    ...options,
    argv: ['git', '-C', cwd, ...args],
    cwd: '/',
    env: { ...env, ...unattended },
  })
}
