import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Tool } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import type { Workspace } from '../../workspace/workspace.ts'
import { BackgroundCommands, type CommandRuntime } from './background-commands.ts'
import { readOutputTool } from './read-output-tool.ts'
import { runCommandTool } from './run-command-tool.ts'
import { completeChecks, Sandbox, type SandboxMode } from './sandbox.ts'
import { stopCommandTool } from './stop-command-tool.ts'

export interface CommandToolOptions {
  /** The runtime that the tools are registered in. */
  readonly runtime: CommandRuntime
  /**
   * `workspace`: commands can change only the workspace, and see no keys. `workspace-offline`: they have no network either. Requires
   * bubblewrap; without it, commands do not run.
   * @default 'none'
   */
  readonly sandbox?: SandboxMode | undefined
  /** Folders that commands in a sandbox do not see, such as Curfew's own. */
  readonly hiddenFolders?: readonly string[] | undefined
  /** Folders inside hidden ones that commands may read. */
  readonly readableFolders?: readonly string[] | undefined
  /**
   * The folder for files that a sandbox moved away.
   * @default '~/.local/state/curfew'
   */
  readonly stateFolder?: string | undefined
  /** Called with what the check after a command in a sandbox found, if the call had been cancelled, or Curfew killed. */
  readonly onFinding?: ((finding: string) => void) | undefined
}

/** `run_command`, `read_output` and `stop_command`. */
export function commandTools(workspace: Workspace, options: CommandToolOptions): readonly Tool[] {
  const { runtime, sandbox: mode = 'none', hiddenFolders = [], readableFolders = [] } = options
  const { onFinding = () => {} } = options
  const commands = new BackgroundCommands(runtime)
  const { stateFolder = join(homedir(), '.local', 'state', 'curfew') } = options
  // Later commands report it again.
  completeChecks(workspace, stateFolder, onFinding).catch((error: unknown) => onFinding(messageOf(error)))
  const folders = { hiddenFolders, readableFolders, stateFolder }
  const sandbox = mode === 'none' ? null : new Sandbox({ mode, workspace, onFinding, ...folders })
  return [
    runCommandTool({ workspace, runtime, commands, sandbox, onFinding }),
    readOutputTool(runtime, commands),
    stopCommandTool(runtime, commands),
  ]
}
