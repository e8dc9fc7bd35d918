import { invalidOption } from '@curfew/core/internal'
import type { AnswerFormat } from './answer-formats.ts'

/** What an external agent may do with the files of the workspace. Its own program enforces that. */
export type ExternalAccess = 'read' | 'edit'

/** A program that completes a task without a person: it reads the task, writes its answer, and exits. */
export interface ExternalAgent {
  readonly name: string
  /** The program and arguments that do not depend on the task. `{task}` in an argument is replaced by the task; without one, the task is its standard input. */
  readonly command: readonly [string, ...string[]]
  /** Added for each kind of access. */
  readonly accessArgs: Readonly<Record<ExternalAccess, readonly string[]>>
  readonly format: AnswerFormat
  /** How to install it; `null` for a configured command. */
  readonly install: string | null
}

/** An entry of `externalAgents` in the user's config.json. */
export interface ExternalAgentSettings {
  readonly command: readonly string[]
  /** @default that of the known agent with this name, otherwise `text` */
  readonly format?: AnswerFormat | undefined
}

/** The task is their standard input, so it can neither be parsed as an option nor be too long. */
export const knownAgents: readonly ExternalAgent[] = [
  {
    name: 'claude',
    command: ['claude', '-p', '--output-format', 'stream-json', '--verbose'],
    accessArgs: { read: ['--permission-mode', 'plan'], edit: ['--permission-mode', 'acceptEdits'] },
    format: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
  },
  {
    name: 'gemini',
    command: ['gemini', '--output-format', 'stream-json'],
    accessArgs: { read: ['--approval-mode', 'plan'], edit: ['--approval-mode', 'auto_edit'] },
    format: 'gemini',
    install: 'npm install -g @google/gemini-cli',
  },
  {
    name: 'codex',
    command: ['codex', 'exec', '--json', '--skip-git-repo-check', '-'],
    accessArgs: { read: ['--sandbox', 'read-only'], edit: ['--sandbox', 'workspace-write'] },
    format: 'codex',
    install: 'npm install -g @openai/codex',
  },
  {
    name: 'copilot',
    command: ['copilot', '--output-format', 'json', '--no-color'],
    accessArgs: { read: ['--deny-tool=write', '--deny-tool=shell'], edit: ['--allow-tool=write'] },
    format: 'copilot',
    install: 'npm install -g @github/copilot',
  },
]

const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/i

/** The known agents and the configured ones. A configured agent replaces the program of a known one with the same name, not its options. */
export function externalAgents(
  settings: Readonly<Record<string, ExternalAgentSettings>>,
): readonly ExternalAgent[] {
  const agents = new Map(knownAgents.map((agent) => [agent.name, agent]))
  for (const [name, { command, format }] of Object.entries(settings)) {
    const [program, ...args] = command
    if (!namePattern.test(name) || program === undefined || program === '')
      throw invalidOption(
        `externalAgents.${name}`,
        'expected a name of letters, digits, _ and -, and a command with its arguments',
      )
    const known = agents.get(name)
    agents.set(name, {
      name,
      command: [program, ...args, ...(known?.command.slice(1) ?? [])],
      accessArgs: known?.accessArgs ?? { read: [], edit: [] },
      format: format ?? known?.format ?? 'text',
      install: known?.install ?? null,
    })
  }
  return [...agents.values()]
}

const placeholder = '{task}'

/** The command line for a task, and its standard input. */
export function commandLine(
  { command, accessArgs }: ExternalAgent,
  access: ExternalAccess,
  task: string,
): { readonly argv: readonly [string, ...string[]]; readonly input: string } {
  const [program, ...args] = command
  const all = [...args, ...accessArgs[access]]
  if (!all.some((arg) => arg.includes(placeholder))) return { argv: [program, ...all], input: task }
  // A line break at the beginning, so that a task can never be an option.
  const shown = task.startsWith('-') ? `\n${task}` : task
  return { argv: [program, ...all.map((arg) => arg.replaceAll(placeholder, () => shown))], input: '' }
}
