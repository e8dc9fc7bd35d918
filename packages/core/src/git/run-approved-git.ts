import { ownProgram } from '../process/own-program.ts'
import type { ProcessOptions, ProcessResult } from '../process/process-options.ts'
import { runProcess } from '../process/run-process.ts'

type CommandLine = ProcessOptions['argv']

export interface ApprovedGitOptions extends Omit<ProcessOptions, 'argv' | 'cwd'> {
  /** The subcommand and its arguments, such as `['commit', '-m', 'Fix it']`. */
  readonly args: readonly string[]
  /** A folder of the user's repository. */
  readonly cwd: string
  /** Returns the command line that runs another one in a sandbox. */
  readonly inSandbox: (argv: CommandLine) => CommandLine
}

/**
 * Runs git in the user's repository, with the user's configuration: hooks, filters and other programs that it names run, too. Only for a
 * command that the user has approved, knowing that, and in a sandbox: git follows links, and a hook may run what a model wrote. Git has
 * no terminal there, so it uses the default message instead of an editor and asks for no password.
 */
export async function runApprovedGit({
  args,
  cwd,
  env,
  inSandbox,
  ...options
}: ApprovedGitOptions): Promise<ProcessResult> {
  const unattended = { GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: ':', GIT_PAGER: 'cat' }
  return await runProcess({
    ...options,
    // Without rerere, which writes to the paths that a file in `.git` contains.
    argv: inSandbox([ownProgram('git'), '-C', cwd, '-c', 'rerere.enabled=false', ...args]),
    cwd: '/',
    env: { ...env, ...unattended },
  })
}
