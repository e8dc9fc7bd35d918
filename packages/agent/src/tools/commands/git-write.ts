import { lstatSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CurfewError, type ToolContext } from '@curfew/core'
import { type ApprovedGitOptions, isOwn, type ProcessResult, runApprovedGit } from '@curfew/core/internal'
import { nearestIn } from '../../workspace/link-targets.ts'
import { isPlaceholder } from '../../workspace/placeholders.ts'
import { showPath } from '../../workspace/show-path.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { SandboxedCommand } from './sandbox.ts'
import { splitShellCommands } from './split-shell-commands.ts'

export interface GitWrite {
  /** The subcommand and its arguments. */
  readonly args: readonly string[]
  /** The arguments that are not options. */
  readonly values: readonly string[]
  readonly cwd: string
  /** `.git` of the repository, so that no other one can take its place after the approval; `null` for `git init`. */
  readonly repository: string | null
  /** Why it needs approval. */
  readonly reason: string
}

/**
 * Commands of git that change the repository, and the options with which they run no other programs, read no files outside of the repository
 * and need no terminal. `:` after an option: a value follows. `!`: without arguments, the command only lists something.
 */
const writing: Readonly<Record<string, string>> = {
  add: '-A --all -u --update -v --verbose -n --dry-run -N --intent-to-add --no-all --ignore-removal',
  branch:
    '! -d --delete -D -m --move -M -c --copy -C -f --force -q --quiet -t --track --no-track -u: --set-upstream-to: --unset-upstream',
  checkout: '-b: -B: -f --force -q --quiet --ours --theirs -t --track --no-track --detach --orphan:',
  'cherry-pick':
    '-x -n --no-commit -s --signoff -m: --mainline: --continue --abort --skip --quit --allow-empty --ff --no-gpg-sign',
  commit:
    '-m: --message: -a --all -q --quiet -v --verbose --amend --no-edit --allow-empty --allow-empty-message -s --signoff -n --no-verify --author: --date: --fixup: -o --only -i --include --reset-author --dry-run --no-gpg-sign',
  init: '-q --quiet -b: --initial-branch:',
  merge:
    '-m: --no-ff --ff --ff-only --squash --no-commit --commit --no-edit --abort --continue --quit -q --quiet --no-verify -X: --allow-unrelated-histories --no-gpg-sign',
  mv: '-f --force -k -n --dry-run -v --verbose',
  rebase: '--onto: --abort --continue --skip --quit -q --quiet --autostash --no-autostash --no-gpg-sign',
  reset: '--hard --soft --mixed --keep --merge -q --quiet -N --intent-to-add',
  restore: '-s: --source: -S --staged -W --worktree -q --quiet --ours --theirs',
  revert:
    '-n --no-commit --no-edit -m: --mainline: --continue --abort --skip --quit -s --signoff --no-gpg-sign',
  rm: '-r -f --force --cached -q --quiet -n --dry-run --ignore-unmatch',
  stash: '-q --quiet -k --keep-index --no-keep-index --index -m: --message: -S --staged',
  switch:
    '-c: --create: -C: --force-create: -d --detach -f --force --discard-changes -q --quiet -t --track --no-track --orphan:',
  tag: '! -a --annotate -m: --message: --no-sign -d --delete -f --force',
}

/**
 * Finds what runs with a writable `.git`: a command line that is nothing but one such command, in a folder of the
 * workspace. `null` for everything else.
 */
export function gitWrite(command: string, cwd: string, workspace: Workspace): GitWrite | null {
  const commands = splitShellCommands(command)
  const [words] = commands ?? []
  const isTerminated = /[;|&]\s*$/.test(command)
  if (isTerminated || commands?.length !== 1 || words === undefined || words.includes(null)) return null
  const [program, ...args] = words as readonly string[]
  if (program !== 'git') return null
  const folder = args[0] === '-C' ? workspace.locate(resolve(cwd, args[1] ?? '')) : workspace.locate(cwd)
  const [name = '', ...rest] = args[0] === '-C' ? args.slice(2) : args
  if (folder.area !== 'inside' || !Object.hasOwn(writing, name)) return null
  const values = argumentsOf(rest, writing[name]!.split(' '))
  if (values === null || (writing[name]!.startsWith('!') && rest.length === 0)) return null
  if (name === 'stash' && !/^(push|pop|apply|drop|)$/.test(values[0] ?? '')) return null
  if (name === 'init' && values.length > 0) return null
  const repository = name === 'init' ? null : nearestRepository(folder.realPath)
  if (repository === undefined) return null
  const reason = `git ${name} changes the repository ${showPath(repository ?? join(folder.realPath, '.git'))}, and runs its hooks, filters and other programs that its configuration names`
  return { args: [name, ...rest], values, cwd: folder.realPath, repository, reason }
}

/** As git finds it, which ignores what other users own. */
function nearestRepository(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, '.git')
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && !isPlaceholder(path)) return isOwn(stats) ? path : undefined
    if (folder === dirname(folder)) return undefined
  }
}

/** Runs it, with the project's hooks. */
export function runGitWrite(
  { args, cwd, repository }: GitWrite,
  { env, ...options }: Omit<ApprovedGitOptions, 'args' | 'cwd'>,
): Promise<ProcessResult> {
  const pinned = repository === null ? {} : { GIT_DIR: repository, GIT_WORK_TREE: dirname(repository) }
  return runApprovedGit({ ...options, args, cwd, env: { ...env, ...pinned } })
}

/** Throws if files with secrets would get into the repository, or get another name: commands in the sandbox can read what is there. */
export async function assertNoSecrets(
  git: GitWrite,
  workspace: Workspace,
  { inSandbox, assertSetUp, secret: hidden }: SandboxedCommand,
  signal: ToolContext['signal'],
): Promise<void> {
  const { args, values, cwd } = git
  const name = args[0]!
  // `stash` and the last two put changes of files away, in a commit that remains.
  const kinds = {
    add: ['-o', '-m'],
    commit: ['-m'],
    mv: ['-c'],
    stash: ['-m'],
    rebase: ['-m'],
    merge: ['-m'],
  }[name]
  if (kinds === undefined) return
  const named = name === 'mv' ? values.slice(0, -1) : values
  const paths = /^(add|commit|mv)$/.test(name) && named.length > 0 ? named : [':/']
  const list = ['ls-files', '-z', '--exclude-standard', ...kinds, '--', ...paths]
  const chunks: Buffer[] = []
  const onOutput = (chunk: Buffer, stream: string): unknown =>
    stream === 'stdout' && chunks.push(Buffer.from(chunk))
  const result = await runGitWrite({ ...git, args: list }, { signal, onOutput, inSandbox })
  signal.throwIfAborted()
  assertSetUp(result)
  if (result.exitCode !== 0) throw denied(`git ls-files failed: ${result.stderr.toString().trim()}`)
  const names = Buffer.concat(chunks).toString().split('\0')
  // Git follows links to folders.
  // A folder is moved as a whole.
  const sources = new Set(
    name === 'mv' ? named.map((one) => workspace.locate(resolve(cwd, one)).realPath) : [],
  )
  const secret =
    names.find((name) => workspace.locate(resolve(cwd, name)).secret !== null) ??
    hidden.find((path) => nearestIn(sources, path) !== undefined)
  if (secret === undefined) return
  throw denied(
    `git ${name} would store or rename ${secret}, which may contain secrets and is hidden from other commands; name the other files, add it to .gitignore, or leave it to the user`,
  )
}

function denied(message: string): CurfewError {
  return new CurfewError('DENIED', message, { hadNoEffect: true })
}

/** The arguments that are not options. `null` if an option is not one of those. */
function argumentsOf(args: readonly string[], options: readonly string[]): readonly string[] | null {
  const values: string[] = []
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!
    if (arg === '--') return [...values, ...args.slice(index + 1)]
    if (!arg.startsWith('-') || arg === '-') values.push(arg)
    else if (arg.startsWith('--')) {
      const [name] = arg.split('=')
      const takesValue = options.includes(`${name}:`)
      if (!takesValue && (arg !== name || !options.includes(name))) return null
      if (takesValue && arg === name) index++
    }
    // Such as -am.
    else
      for (let at = 1; at < arg.length; at++) {
        if (options.includes(`-${arg[at]}:`)) {
          if (at === arg.length - 1) index++
          break
        }
        if (!options.includes(`-${arg[at]}`)) return null
      }
  }
  return values
}
