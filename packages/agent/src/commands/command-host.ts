import type { CallResult, ResultPart, Runtime, ToolCall } from '@curfew/core'
import type { CheckpointHost } from '../checkpoints/create-checkpoint-host.ts'
import type { UserPart } from '../history/history-item.ts'
import type { Memory } from '../memory/create-memory.ts'
import type { CommandResult } from './slash-command.ts'

/** What commands act on. The optional members are for the program around the agent; a command whose member is missing does not exist. */
export interface CommandHost {
  readonly runtime: CommandRuntime
  readonly agent: CommandAgent
  /** Runs `!command`. Without it, the tool `timeout` runs the command if it is registered. */
  readonly shell?: ShellTool | undefined
  /** What can be mentioned, for `/help`. @default '@path, @url, @server:uri' */
  readonly mentions?: string | undefined
  /** Returns where a setting such as `timeouts.script` is set, for `/timeouts`: `~/.config/curfew/config.json`. */
  readonly placeOf?: ((setting: string) => string | undefined) | undefined
  /** The keys of the program, as a sentence for `/help`. */
  readonly keys?: string | undefined
  /** The files and folders that a typed path can become, for `@path`. Must not throw. */
  readonly completePath?: ((typed: string) => readonly string[]) | undefined
  readonly models?: ModelHost | undefined
  readonly sessions?: SessionHost | undefined
  /** From `createCheckpointHost`. */
  readonly checkpoints?: CheckpointHost | undefined
  readonly mcp?: McpHost | undefined
  readonly memory?: MemoryHost | undefined
  /** Asks for the value with masked input and stores it. Resolves to false if the person declined. */
  readonly storeSecret?: ((name: string, signal: AbortSignal) => Promise<boolean>) | undefined
  /** Replaces old items of the history with a summary. */
  readonly compact?: ((instructions: string, signal: AbortSignal) => Promise<CommandResult>) | undefined
  /** Starts a conversation with an empty history. */
  readonly clear?: ((signal: AbortSignal) => Promise<CommandResult>) | undefined
  readonly review?: ((args: readonly string[], signal: AbortSignal) => Promise<CommandResult>) | undefined
  readonly init?: ((args: readonly string[], signal: AbortSignal) => Promise<CommandResult>) | undefined
  readonly log?: LogHost | undefined
  readonly theme?: ThemeHost | undefined
  readonly quit?: (() => void) | undefined
}

export type CommandRuntime = Pick<
  Runtime,
  'cancel' | 'getSnapshot' | 'listTools' | 'redact' | 'rules' | 'timeoutOf'
>

/** What commands need from an agent. */
export interface CommandAgent {
  /** Runs a call that a person typed: it needs no approval, but deny rules apply. */
  runAsPerson(
    call: Pick<ToolCall, 'name' | 'params' | 'timeout'>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<CallResult>
  /** Adds a message of the person to the history, without asking the model. */
  addParts(parts: readonly UserPart[]): void
  /** What the models of the conversation have used. */
  usage(): ModelUsage
  /** What the current or last turn has used. */
  turnUsage(): ModelUsage
}

interface ModelUsage {
  readonly requests: number
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly outputTokens: number
  /** `null` if a price is unknown. */
  readonly money: number | null
}

export interface ShellTool {
  readonly tool: string
  params(command: string): unknown
}

export interface ModelHost {
  /** `provider:name`; `null` if there is none. */
  current(): string | null
  /** The models to choose from. */
  list(): readonly { readonly name: string; readonly description: string }[]
  /** Later turns use this model. Rejects with the reason if that is not possible. */
  select(name: string, signal: AbortSignal): Promise<void>
}

/** The calls that were recorded, also by other programs and in earlier conversations. */
export interface LogHost {
  /** The newest ones first. */
  list(
    query: {
      /** Only calls that ended with an error or were lost. */
      readonly failed: boolean
      /** Only calls of this conversation. */
      readonly session: boolean
      readonly limit: number
    },
    signal: AbortSignal,
  ): Promise<CommandResult>
  /** Everything about one call. */
  show(id: string, signal: AbortSignal): Promise<CommandResult>
}

export interface ThemeHost {
  /** The name of the theme that was chosen. */
  current(): string
  list(): readonly { readonly name: string; readonly description: string }[]
  /** Uses the theme from now on, and remembers it. Rejects with the reason if it cannot be remembered. */
  select(name: string): Promise<void>
}

export interface SessionHost {
  list(signal: AbortSignal): Promise<readonly { readonly id: string; readonly description: string }[]>
  resume(id: string, signal: AbortSignal): Promise<CommandResult>
}

export type MemoryHost = Pick<Memory, 'files' | 'notices' | 'refresh'>

export interface McpHost {
  /** The names of the servers, for `@server:uri`. Must not throw. */
  servers(): readonly string[]
  /** `/mcp`. */
  readonly run?: ((args: readonly string[], signal: AbortSignal) => Promise<CommandResult>) | undefined
  /** The prompts that are known now. Must not throw. */
  prompts(): readonly McpPrompt[]
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly McpPromptMessage[]>
  readResource(server: string, uri: string, signal: AbortSignal): Promise<readonly ResultPart[]>
}

/** Whether `@name:` refers to a server. */
export function serverTest(mcp: McpHost | undefined): (name: string) => boolean {
  return (name) => mcp?.servers().includes(name) ?? false
}

export interface McpPrompt {
  /** `mcp__server__prompt`. */
  readonly name: string
  readonly description?: string | undefined
  readonly arguments: readonly {
    readonly name: string
    readonly description?: string | undefined
    readonly required?: boolean | undefined
  }[]
}

export interface McpPromptMessage {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly ResultPart[]
}
