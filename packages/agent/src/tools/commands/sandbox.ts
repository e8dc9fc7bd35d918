import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CurfewError, type ToolContext } from '@curfew/core'
import { messageOf, ownProgram, type ProcessReport, type ProcessResult } from '@curfew/core/internal'
import { Placeholders, sandboxedWorkspaces } from '../../workspace/placeholders.ts'
import { placeholderNames } from '../../workspace/protected-files.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { missingChecks } from './check-file.ts'
import { checkSandbox } from './check-sandbox.ts'
import type { GitWrite } from './git-write.ts'
import { RepositoryGuard, readGitState } from './repository-guard.ts'
import { type SandboxArguments, sandboxArguments } from './sandbox-arguments.ts'
import { failedChecks, SandboxGuard, targetOf } from './sandbox-guard.ts'
import { WorkspaceScanner } from './scan-workspace.ts'

/** From the loosest to the strictest. */
export const sandboxModes = ['none', 'workspace', 'workspace-offline'] as const
export type SandboxMode = (typeof sandboxModes)[number]

export interface SandboxOptions {
  readonly mode: Exclude<SandboxMode, 'none'>
  readonly workspace: Workspace
  /** Folders that commands do not see, in addition to those with keys of other programs: Curfew's own. */
  readonly hiddenFolders: readonly string[]
  /** Folders inside hidden ones that commands may read. */
  readonly readableFolders: readonly string[]
  /** For what is moved away. Commands do not see it. */
  readonly stateFolder: string
  readonly onFinding: (finding: string) => void
}

type CommandLine = readonly [string, ...string[]]

/** A command in the sandbox. */
export interface SandboxedCommand {
  readonly inSandbox: (command: CommandLine) => CommandLine
  readonly guard: Pick<SandboxGuard, 'watch'>
  /** The hidden files of the workspace. */
  readonly secret: readonly string[]
  /** Throws if the command did not run because the sandbox could not be set up. */
  assertSetUp(result: ProcessResult): void
  /** For the model, if the sandbox is a probable cause of a failure. */
  notes(report: ProcessReport): readonly string[]
  /** Call it after the command has ended, however it did: checks the workspace. `report` gets notes for the model, which it returns, too. */
  end(ask: ToolContext['ask'] | null, report: (notes: readonly string[]) => void): Promise<readonly string[]>
}

/** Runs commands with bubblewrap: they can change only the workspace, and see neither keys nor other processes. */
export class Sandbox {
  readonly #options: SandboxOptions
  readonly #scanner: WorkspaceScanner
  readonly #placeholders: Placeholders
  /** The number of commands in the sandbox. */
  #running = 0
  /** The number of git commands for which `.git` is writable. */
  #changing = 0
  /** For the model. */
  readonly description: string

  constructor(options: SandboxOptions) {
    this.#options = options
    sandboxedWorkspaces.add(options.workspace)
    this.#scanner = new WorkspaceScanner(options.workspace)
    this.#placeholders = new Placeholders(join(options.stateFolder, 'placeholders'))
    const network = options.mode === 'workspace' ? '' : ', and they have no network'
    this.description = `Commands run in a sandbox: they can change only files of the workspace, /tmp is empty for each command, files with permissions and secrets cannot be changed or read${network}. .git is read-only: a git command that changes it (add, commit, checkout, ...) has to be the whole command line; it then runs with the user's approval, but not while another command runs, in the background either.`
  }

  /**
   * Throws if the sandbox cannot be set up: the command must not run without it. Also if `git` would run at the same time as another
   * command, which could make git run a program, or replace a folder by a link while git reads or writes what is in it.
   */
  async prepare(cwd: string, git: GitWrite | null, signal: AbortSignal): Promise<SandboxedCommand> {
    const { mode, workspace, stateFolder, onFinding } = this.#options
    const problem = await checkSandbox(mode)
    if (problem !== null) throw this.#failure(problem)
    await completeChecks(workspace, stateFolder, onFinding)
    if (this.#changing > 0) throw denied('git is changing a repository; wait for it')
    if (git !== null && this.#running > 0)
      throw denied(
        'a command that is running in the sandbox could change files while git uses them; wait for it, or stop it',
      )
    const plan = await this.#plan(git, signal).catch((error: unknown) => {
      throw signal.aborted ? error : this.#failure(messageOf(error))
    })
    const bubblewrap = ownProgram('bwrap')
    return {
      inSandbox: (command) => [
        // The command itself does not get the descriptor.
        ...(['/bin/sh', '-c', 'exec "$@" 9>>"$0"', plan.guard.record.path] as const),
        ...[bubblewrap, ...plan.options, '--chdir', cwd, '--', ...plan.start, ...command],
      ],
      guard: plan.guard,
      secret: plan.secret,
      assertSetUp: ({ outcome, stderr }) => {
        if (outcome !== 'exited' || plan.guard.record.isStarted) return
        const text = stderr.toString().replace(/^bwrap: /, '')
        throw this.#failure(text.trim())
      },
      notes: (report) => (git === null ? this.#notes(report) : gitNotes(report)),
      async end(ask, report) {
        try {
          const notes = await plan.guard.finish(ask)
          report(notes)
          return notes
        } finally {
          plan.guard.checked.resolve()
          plan.release()
        }
      },
    }
  }

  async #plan(
    git: GitWrite | null,
    signal: AbortSignal,
  ): Promise<
    Omit<SandboxArguments, 'mountPoints'> & {
      readonly guard: SandboxGuard
      readonly secret: readonly string[]
      readonly release: () => void
    }
  > {
    const { mode, workspace, readableFolders, stateFolder } = this.#options
    const { folders } = workspace
    const moved = folders.find((folder) => workspace.locate(folder).realPath !== folder)
    if (moved !== undefined) throw new Error(`${moved} was moved or replaced by a link`)
    const names = git === null ? placeholderNames : []
    const wanted = folders.flatMap((folder) => names.map((name) => join(folder, name)))
    const removePlaceholders = this.#placeholders.hold(wanted)
    const count = git === null ? 1 : 0
    this.#running += count
    this.#changing += 1 - count
    const release = (): void => {
      this.#running -= count
      this.#changing -= 1 - count
      removePlaceholders()
    }
    try {
      const scanner = this.#scanner
      const files = await scanner.scan(signal)
      const hiddenFolders = [...this.#options.hiddenFolders, stateFolder]
      const offline = mode === 'workspace-offline'
      const plan = { offline, folders, hiddenFolders, readableFolders, files }
      const { options, mountPoints, start } = sandboxArguments(plan)
      const links = new Map(files.links.map((path) => [path, targetOf(path)]))
      const state = git === null ? null : readGitState(git, [...files.protected, ...links.keys()])
      const repository = state === null ? null : new RepositoryGuard(state)
      // A checkout replaces files with permissions, which mounts would prevent.
      const ofGit = sandboxArguments({ ...plan, files: { ...files, protected: [], secret: [] } })
      const run = repository === null ? { options, start } : ofGit
      const { linked, secret } = files
      const guard = new SandboxGuard({
        ...{ workspace, scanner, mountPoints, links, linked, stateFolder },
        git: repository,
      })
      const mounts = [...run.options, ...(repository?.options ?? [])]
      return { options: mounts, start: run.start, guard, secret, release }
    } catch (error) {
      release()
      throw error
    }
  }

  #notes({ outcome, exit_code, stdout, stderr }: ProcessReport): readonly string[] {
    if (outcome !== 'exited') return []
    const text = stderr + stdout
    const { mode } = this.#options
    // Also if a later command of the line succeeded.
    if (/\.git\b.*read-only file system/i.test(text)) return [gitHint]
    if (exit_code === 0) return []
    const notes: string[] = []
    if (/read-only file system|EROFS|permission denied|EACCES|operation not permitted|EPERM/i.test(text))
      notes.push(
        `the sandbox is a probable cause: with sandbox: "${mode}", only files of the workspace can be changed, without those that contain permissions, hooks or secrets`,
      )
    if (mode === 'workspace-offline' && networkProblem.test(text))
      notes.push('the sandbox is a probable cause: with sandbox: "workspace-offline", there is no network')
    return notes
  }

  #failure(problem: string): CurfewError {
    const { mode } = this.#options
    const message = `run_command did not run: the setting sandbox is "${mode}", but the sandbox cannot be set up: ${problem}`
    return new CurfewError('TOOL_FAILED', message, { hadNoEffect: true, fault: 'none' })
  }
}

let completing: Promise<unknown> = Promise.resolve()

/** Completes the checks after commands that are missing because Curfew was killed, or that did not succeed. Throws if one does not succeed again. */
export function completeChecks(
  workspace: Workspace,
  stateFolder: string,
  onFinding: (finding: string) => void,
): Promise<void> {
  const { folders } = workspace
  const complete = async (): Promise<void> => {
    const scanner = new WorkspaceScanner(workspace)
    for (const { path, known, links, git } of missingChecks(stateFolder, folders)) {
      const mountPoints = known.filter((one) => existsSync(one))
      const options = { workspace, scanner, mountPoints, links: new Map(links), linked: [], stateFolder }
      new SandboxGuard({ ...options, git: git && new RepositoryGuard(git) }, path)
    }
    for (const guard of failedChecks(folders)) {
      for (const finding of await guard.finish(null)) onFinding(finding)
      guard.checked.resolve()
    }
    const [failed] = failedChecks(folders)
    if (failed === undefined) return
    const message = `the check after an earlier command in the sandbox did not succeed: ${failed.problem}; no command runs until it does: correct that, and try again`
    throw new CurfewError('TOOL_FAILED', message, { hadNoEffect: true, fault: 'none' })
  }
  const completed = completing.then(complete)
  completing = completed.catch(() => {})
  return completed
}

function denied(message: string): CurfewError {
  return new CurfewError('DENIED', message, { hadNoEffect: true })
}

function gitNotes({ outcome, exit_code, stdout, stderr }: ProcessReport): readonly string[] {
  if (outcome !== 'exited' || exit_code === 0 || !outOfReach.test(stderr + stdout)) return []
  return [
    'git, its hooks and filters run in the sandbox, where only the workspace and the repository can be changed, and keys, agents for keys and sockets are out of reach; if that is the cause, such as for a signature, a credential helper or a cache of a hook, the user has to run the command in a terminal',
  ]
}

const outOfReach =
  /read-only|EROFS|denied|EACCES|busy|not permitted|EPERM|no such file|not found|gpg|sign|agent|credential|username|resolve|connect|network|cross-device|unable to/i

const gitHint =
  '.git is read-only in the sandbox: run the git command on its own, without other commands, pipes, substitutions and wildcards (quote those for git); add, commit, checkout and similar ones then run with the approval of the user, who has to run others'

const networkProblem =
  /network is unreachable|ENETUNREACH|could ?n[o']t resolve|name resolution|EAI_AGAIN|ENOTFOUND|getaddrinfo|name or service not known|cannot assign requested address|unable to resolve|failed to connect|could not connect/i
