import { join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf, type ProcessReport, type ProcessResult } from '@curfew/core/internal'
import { Placeholders, sandboxedWorkspaces } from '../../workspace/placeholders.ts'
import { placeholderNames } from '../../workspace/protected-files.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { checkSandbox } from './check-sandbox.ts'
import { type SandboxArguments, sandboxArguments } from './sandbox-arguments.ts'
import { SandboxGuard } from './sandbox-guard.ts'
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
}

type CommandLine = readonly [string, ...string[]]

/** A command line that runs in the sandbox. */
export interface SandboxedCommand {
  readonly argv: CommandLine
  readonly guard: SandboxGuard
  /** Throws if the command did not run because the sandbox could not be set up. */
  assertSetUp(result: ProcessResult): void
  /** For the model, if the sandbox is a probable cause of a failure. */
  notes(report: ProcessReport): readonly string[]
  /** Call it after the command has ended. */
  release(): void
}

/** Runs commands with bubblewrap: they can change only the workspace, and see neither keys nor other processes. */
export class Sandbox {
  readonly #options: SandboxOptions
  readonly #scanner: WorkspaceScanner
  readonly #placeholders: Placeholders
  /** The number of commands in the sandbox. */
  #running = 0
  /** The number of git commands outside of it. */
  #outside = 0
  /** For the model. */
  readonly description: string

  constructor(options: SandboxOptions) {
    this.#options = options
    sandboxedWorkspaces.add(options.workspace)
    this.#scanner = new WorkspaceScanner(options.workspace)
    this.#placeholders = new Placeholders(join(options.stateFolder, 'placeholders'))
    const network = options.mode === 'workspace' ? '' : ', and they have no network'
    this.description = `Commands run in a sandbox: they can change only files of the workspace, /tmp is empty for each command, files with permissions and secrets cannot be changed or read${network}. .git is read-only: a git command that changes it (add, commit, checkout, ...) has to be the whole command line; it then runs outside of the sandbox, with the user's approval, but not while another command runs, in the background either.`
  }

  /**
   * For git outside of the sandbox. Throws if a command is running: it could make git run a program, or replace a folder by a link while git
   * reads or writes what is in it, and git would follow the link out of the workspace.
   */
  async runOutside<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#running > 0)
      throw denied(
        'a command that is running in the sandbox could change files while git uses them; wait for it, or stop it',
      )
    this.#outside++
    try {
      return await run()
    } finally {
      this.#outside--
    }
  }

  /** Throws if the sandbox cannot be set up: the command must not run without it. */
  async prepare(command: CommandLine, cwd: string, signal: AbortSignal): Promise<SandboxedCommand> {
    const { mode } = this.#options
    const problem = await checkSandbox(mode)
    if (problem !== null) throw this.#failure(problem)
    if (this.#outside > 0) throw denied('git is running outside of the sandbox; wait for it')
    const plan = await this.#plan(signal).catch((error: unknown) => {
      throw signal.aborted ? error : this.#failure(messageOf(error))
    })
    return {
      argv: ['bwrap', ...plan.options, '--chdir', cwd, '--', ...plan.start, ...command],
      guard: plan.guard,
      assertSetUp: ({ exitCode, stderr }) => {
        const text = stderr.toString()
        // bubblewrap writes nothing if it could start the command.
        if (exitCode === 1 && text.startsWith('bwrap: ')) throw this.#failure(text.slice(7).trim())
      },
      notes: (report) => this.#notes(report),
      release: plan.release,
    }
  }

  async #plan(
    signal: AbortSignal,
  ): Promise<Omit<SandboxArguments, 'mountPoints'> & { guard: SandboxGuard; release: () => void }> {
    const { mode, workspace, readableFolders, stateFolder } = this.#options
    const { folders } = workspace
    const moved = folders.find((folder) => workspace.locate(folder).realPath !== folder)
    if (moved !== undefined) throw new Error(`${moved} was moved or replaced by a link`)
    const wanted = folders.flatMap((folder) => placeholderNames.map((name) => join(folder, name)))
    const removePlaceholders = this.#placeholders.hold(wanted)
    this.#running++
    const release = (): void => {
      this.#running--
      removePlaceholders()
    }
    try {
      const scanner = this.#scanner
      const files = await scanner.scan(signal)
      const hiddenFolders = [...this.#options.hiddenFolders, stateFolder]
      const offline = mode === 'workspace-offline'
      const plan = { offline, folders, hiddenFolders, readableFolders, files }
      const { options, mountPoints, start } = sandboxArguments(plan)
      const quarantineFolder = join(stateFolder, 'quarantine')
      const guard = new SandboxGuard({ workspace, scanner, files, mountPoints, quarantineFolder })
      return { options, start, guard, release }
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

function denied(message: string): CurfewError {
  return new CurfewError('DENIED', message, { hadNoEffect: true })
}

const gitHint =
  '.git is read-only in the sandbox: run the git command on its own, without other commands, pipes, substitutions and wildcards (quote those for git); add, commit, checkout and similar ones then run outside of the sandbox, with the approval of the user, who has to run others'

const networkProblem =
  /network is unreachable|ENETUNREACH|could ?n[o']t resolve|name resolution|EAI_AGAIN|ENOTFOUND|getaddrinfo|name or service not known|cannot assign requested address|unable to resolve|failed to connect|could not connect/i
