import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../../command.ts'
import { oneLine } from '../../terminal.ts'
import { approvalUnknown, type Choices, codexProjectChoices, geminiChoices } from './agent-choices.ts'
import type { AgentName } from './agent-names.ts'
import { claudeCode, claudeSources } from './claude-sources.ts'
import { fromClaudeDesktop, fromCodex, fromCursor, fromGemini, fromWindsurf, fromZed } from './dialects.ts'
import { opencode, opencodeSources } from './opencode-sources.ts'
import type { OwnCommand } from './own-command.ts'
import {
  homeOf,
  nearest,
  projectFiles,
  type Source,
  settingsFolder,
  shared,
  shortNamed,
  source,
  xdgFolder,
} from './source.ts'
import { vscode, vscodeSources } from './vscode-sources.ts'

/** The files that may contain an agent's servers for this folder. */
export function sourcesOf(
  agent: AgentName,
  cwd: string,
  env: Readonly<NodeJS.ProcessEnv>,
): readonly Source[] {
  const home = homeOf(env)
  switch (agent) {
    case 'claude':
      return claudeSources(cwd, env)
    case 'claude-desktop':
      return [source({ ...claudeDesktop, file: join(settingsFolder(env), desktopFile), folder: home })]
    case 'vscode':
      return vscodeSources(cwd, env)
    case 'windsurf':
      return windsurfFiles.map(([label, file]) =>
        source({ ...windsurf, agent: label, file: join(home, '.codeium', file), folder: home }),
      )
    case 'zed':
      return [
        source({ ...zed, file: join(zedFolder(env), 'settings.json'), folder: home }),
        unapproved({ ...zed, file: nearest(cwd, projectFiles('zed')[0]!, home) }),
      ]
    case 'opencode':
      return opencodeSources(cwd, env)
    case 'cursor':
      return [
        source({ ...cursor, file: join(home, '.cursor/mcp.json') }),
        unapproved({ ...cursor, file: nearest(cwd, projectFiles('cursor')[0]!, home) }),
      ]
    case 'codex':
      return codexSources(
        join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
        nearest(cwd, projectFiles('codex')[0]!, home),
      )
    case 'gemini':
      return geminiSources(
        join(home, '.gemini/settings.json'),
        nearest(cwd, projectFiles('gemini')[0]!, home),
        home,
      )
  }
}

/** The sources that AGENT and `--file` name; `null` without both. Throws if there is no such file. */
export function givenSources(
  command: string,
  { agent, file }: { readonly agent: AgentName | undefined; readonly file: string | undefined },
): readonly Source[] | null {
  if (file === undefined) return agent === undefined ? null : sourcesOf(agent, process.cwd(), process.env)
  if (!existsSync(file))
    throw new UsageError(`curfew mcp ${command}: --file: ${oneLine(file)} does not exist`)
  return [sourceFor(resolve(file), agent)]
}

/** The source for `--file`. Without an agent, its format depends on the file's name. */
function sourceFor(file: string, agent: AgentName | undefined): Source {
  const name = agent ?? fileNames.find(([pattern]) => pattern.test(file))?.[1]
  if (name === undefined) return source({ ...claudeCode, agent: '', suffix: 'other', file })
  const choices = (): Promise<Choices> => geminiChoices([file], homeOf(process.env), null)
  return source({ ...formats()[name], file, ...(name === 'gemini' && { choices }) })
}

const fileNames: readonly (readonly [RegExp, AgentName])[] = [
  [/\.toml$/, 'codex'],
  [/claude_desktop_config\.json$/, 'claude-desktop'],
  [/[\\/]opencode\.jsonc?$/, 'opencode'],
  [/[\\/]\.?zed[\\/]settings\.json$/i, 'zed'],
  [/[\\/](?:\.vscode|User)[\\/](?:mcp|settings)\.json$/, 'vscode'],
  [/[\\/]mcp_config\.json$/, 'windsurf'],
]

/** A file of the repository, for an agent whose approvals cannot be read. */
function unapproved(fields: Parameters<typeof source>[0]): Source {
  return source({ ...fields, ...shared, choices: async () => approvalUnknown })
}

const desktopFile = 'Claude/claude_desktop_config.json'
const claudeDesktop = { agent: 'Claude Desktop', suffix: 'desktop', dialect: fromClaudeDesktop }
const windsurf = { agent: 'Windsurf', suffix: 'windsurf', dialect: fromWindsurf }
const windsurfFiles = [
  ['Windsurf', 'windsurf/mcp_config.json'],
  ['Windsurf Next', 'windsurf-next/mcp_config.json'],
  ['Windsurf plugin', 'mcp_config.json'],
] as const
const zed = {
  agent: 'Zed',
  suffix: 'zed',
  dialect: fromZed,
  pathIn: () => ['context_servers'],
  // Zed has no prefix, and its timeout is in seconds.
  curfewEntry: ({ command, args }: OwnCommand) => ({ command, args, timeout: 3_600 }),
}

function zedFolder(env: Readonly<NodeJS.ProcessEnv>): string {
  if (process.platform === 'win32') return join(settingsFolder(env), 'Zed')
  return join(process.platform === 'darwin' ? join(homeOf(env), '.config') : xdgFolder(env), 'zed')
}

const cursor = { agent: 'Cursor', suffix: 'cursor', dialect: fromCursor }
const gemini = {
  agent: 'Gemini CLI',
  suffix: 'gemini',
  dialect: fromGemini,
  curfewEntry: (own: OwnCommand) => ({ ...shortNamed(own), timeout: 3_600_000 }),
}
const codex = {
  agent: 'Codex',
  suffix: 'codex',
  dialect: fromCodex,
  placeIn: () => '[mcp_servers]',
  pathIn: () => ['mcp_servers'],
  curfewEntry: (own: OwnCommand) => ({ ...shortNamed(own), tool_timeout_sec: 3_600 }),
}

function codexSources(user: string, project: string): readonly Source[] {
  const choices = (): Promise<Choices> => codexProjectChoices(user, dirname(dirname(project)))
  return [source({ ...codex, file: user }), source({ ...codex, file: project, ...shared, choices })]
}

function geminiSources(user: string, project: string, home: string): readonly Source[] {
  const folder = dirname(dirname(project))
  const choicesFor =
    (projectFolder: string | null): Source['choices'] =>
    () =>
      geminiChoices([user, project], home, projectFolder)
  return [
    source({ ...gemini, file: user, choices: choicesFor(null) }),
    source({ ...gemini, file: project, ...shared, choices: choicesFor(folder) }),
  ]
}

function formats(): Readonly<Record<AgentName, Omit<Parameters<typeof source>[0], 'file'>>> {
  const claude = { ...claudeCode, agent: 'Claude' }
  return { codex, cursor, gemini, claude, 'claude-desktop': claudeDesktop, vscode, windsurf, zed, opencode }
}
