import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { type Dialect, fromClaude, fromClaudeDesktop, fromCodex, fromCursor, fromGemini } from './dialects.ts'
import { isRecord } from './is-record.ts'

export type AgentName = 'claude' | 'cursor' | 'codex' | 'gemini'

export const agentNames: readonly AgentName[] = ['claude', 'cursor', 'codex', 'gemini']

/** A place where an agent keeps its servers. */
export interface Source {
  readonly agent: string
  readonly file: string
  /** `project`: they are meant for where we are, and go into this project's mcp.json. */
  readonly scope: 'user' | 'project'
  /** Where in the file, for people. */
  readonly place: string
  readonly dialect: Dialect
  /** The servers in the content of the file, by name. */
  pick(document: unknown): unknown
}

/** Every place where servers of an agent may be for somebody who stands here. */
export function sourcesOf(
  agent: AgentName,
  cwd: string,
  env: Readonly<NodeJS.ProcessEnv>,
): readonly Source[] {
  const home = homeOf(env)
  const here = (path: string): string => findUp(cwd, path, home) ?? join(cwd, path)
  switch (agent) {
    case 'claude':
      return claudeSources(cwd, env, here('.mcp.json'))
    case 'cursor':
      return [
        json('Cursor', join(home, '.cursor/mcp.json'), 'user', fromCursor),
        json('Cursor', here('.cursor/mcp.json'), 'project', fromCursor),
      ]
    case 'codex':
      return [
        toml(join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'), 'user'),
        toml(here('.codex/config.toml'), 'project'),
      ]
    case 'gemini':
      return [
        json('Gemini CLI', join(home, '.gemini/settings.json'), 'user', fromGemini),
        json('Gemini CLI', here('.gemini/settings.json'), 'project', fromGemini),
      ]
  }
}

/** A file that somebody named; without an agent, its ending says what it is. */
export function sourceFor(file: string, agent: AgentName | undefined): Source {
  switch (agent ?? (file.endsWith('.toml') ? 'codex' : undefined)) {
    case 'codex':
      return toml(file, 'user')
    case 'cursor':
      return json('Cursor', file, 'user', fromCursor)
    case 'gemini':
      return json('Gemini CLI', file, 'user', fromGemini)
    case 'claude':
      return json(
        'Claude',
        file,
        'user',
        file.endsWith('claude_desktop_config.json') ? fromClaudeDesktop : fromClaude,
      )
    default:
      return json('', file, 'user', fromClaude)
  }
}

function claudeSources(cwd: string, env: Readonly<NodeJS.ProcessEnv>, shared: string): readonly Source[] {
  const file = join(env.CLAUDE_CONFIG_DIR || homeOf(env), '.claude.json')
  const projects = ancestors(cwd)
  return [
    json('Claude Code', file, 'user', fromClaude),
    {
      ...json('Claude Code', file, 'project', fromClaude),
      place: `"projects", this folder, "mcpServers"`,
      pick(document) {
        const all = isRecord(document) && isRecord(document.projects) ? document.projects : {}
        const project = projects
          .map((path) => (Object.hasOwn(all, path) ? all[path] : undefined))
          .find(isRecord)
        return project?.mcpServers
      },
    },
    json('Claude Code', shared, 'project', fromClaude),
    json('Claude Desktop', desktopFile(env), 'user', fromClaudeDesktop),
  ]
}

function desktopFile(env: Readonly<NodeJS.ProcessEnv>): string {
  const name = 'Claude/claude_desktop_config.json'
  if (process.platform === 'darwin') return join(homeOf(env), 'Library/Application Support', name)
  if (process.platform === 'win32') return join(env.APPDATA ?? join(homeOf(env), 'AppData/Roaming'), name)
  return join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), name)
}

function json(agent: string, file: string, scope: Source['scope'], dialect: Dialect): Source {
  return {
    agent,
    file,
    scope,
    place: '"mcpServers"',
    dialect,
    pick: (document) => (isRecord(document) ? document.mcpServers : undefined),
  }
}

function toml(file: string, scope: Source['scope']): Source {
  return {
    agent: 'Codex',
    file,
    scope,
    place: '[mcp_servers]',
    dialect: fromCodex,
    pick: (document) => (isRecord(document) ? document.mcp_servers : undefined),
  }
}

/** The nearest file of that name, but not the one at home, which is the user's. */
function findUp(cwd: string, path: string, home: string): string | undefined {
  return ancestors(cwd)
    .filter((folder) => folder !== home)
    .map((folder) => join(folder, path))
    .find((file) => existsSync(file))
}

function ancestors(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...ancestors(above)]
}

function homeOf({ HOME }: Readonly<NodeJS.ProcessEnv>): string {
  return HOME !== undefined && isAbsolute(HOME) ? HOME : homedir()
}
