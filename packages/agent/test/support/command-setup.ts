import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CommandToolOptions,
  commandTools,
  createWorkspace,
  sandboxChecks,
  type Workspace,
} from '@curfew/agent/tools'
import {
  type CallResult,
  type Conversation,
  createRuntime,
  type Runtime,
  type RuntimeOptions,
} from '@curfew/core'
import { afterEach } from 'vitest'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

export interface CommandSetup {
  readonly folder: string
  readonly workspace: Workspace
  /** Where a sandbox keeps what it moves away. */
  readonly stateFolder: string
  readonly runtime: Runtime
  readonly conversation: Conversation
  /** Runs one call. */
  call(name: string, params: object, conversation?: Conversation): Promise<CallResult>
  run(command: string, more?: object): Promise<CallResult>
}

/** A workspace in a temporary folder, and the tools for commands. Everything is allowed. */
export function setUpCommands(
  options: Omit<CommandToolOptions, 'runtime'> = {},
  runtimeOptions: RuntimeOptions = {},
  addedFolders: readonly string[] = [],
): CommandSetup {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-commands-'))
  const stateFolder = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-state-'))
  const runtime = createRuntime({ approval: 'allow', log: () => {}, ...runtimeOptions })
  const workspace = createWorkspace({ root: folder, addedFolders })
  runtime.register(commandTools(workspace, { runtime, stateFolder, ...options }))
  closing.push(async () => {
    await runtime.close()
    await sandboxChecks(workspace)
    rmSync(folder, { recursive: true, force: true })
    rmSync(stateFolder, { recursive: true, force: true })
  })
  const own = runtime.conversation()
  let count = 0
  const call: CommandSetup['call'] = async (name, params, conversation = own) =>
    (await conversation.execute([{ id: String(++count), name, params }]))[0]!
  return {
    folder,
    workspace,
    stateFolder,
    runtime,
    conversation: own,
    call,
    run: (command, more = {}) => call('run_command', { command, ...more }),
  }
}
