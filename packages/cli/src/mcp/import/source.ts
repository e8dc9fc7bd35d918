import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { agentFiles } from '@curfew/agent/internal'
import { isJsonObject, otherOwner, words } from '@curfew/core/internal'
import { allEnabled, type Choices } from './agent-choices.ts'
import type { Dialect } from './dialects.ts'
import type { OwnCommand } from './own-command.ts'

/** A file, or part of one, that lists an agent's servers. */
export interface Source {
  readonly agent: string
  /** Appended to a server's name by `--rename`. */
  readonly suffix: string
  readonly file: string
  /** `project`: the servers apply to the current project, and are imported into its mcp.json. */
  readonly scope: 'user' | 'project'
  /** The file belongs to the repository, so it is shared with others. */
  readonly isShared: boolean
  /** The folder that the file applies to; for the user's own files, the home folder. */
  readonly folder: string
  readonly dialect: Dialect
  /** The keys that lead to the servers. */
  pathIn(document: unknown): readonly string[]
  /** The location of the servers in the file, for messages. */
  placeIn(document: unknown): string
  /** Curfew as one of the agent's servers. */
  curfewEntry(own: OwnCommand, document: unknown): Readonly<Record<string, unknown>>
  /** The user's decisions about the servers. */
  choices(document: unknown): Promise<Choices>
  /** User-level servers that are disabled in this project. */
  disabledHere(document: unknown): readonly string[]
}

export function source(
  fields: Pick<Source, 'agent' | 'suffix' | 'file' | 'dialect'> & Partial<Source>,
): Source {
  const { pathIn = () => ['mcpServers'] } = fields
  return {
    scope: 'user',
    isShared: false,
    folder: projectOf(fields.file),
    pathIn,
    placeIn: (document) =>
      pathIn(document)
        .map((key) => JSON.stringify(key))
        .join(', '),
    curfewEntry: shortNamed,
    choices: async () => allEnabled,
    disabledHere: () => [],
    ...fields,
  }
}

/**
 * Agents prefix names with `mcp__curfew__` or similar and allow 64 characters in total (Cursor 60). Entries with a timeout override
 * the agent's own limit, because Curfew enforces the deadlines.
 */
export function shortNamed({ command, args }: OwnCommand): {
  readonly command: string
  readonly args: readonly string[]
} {
  return { command, args: [...args, '--name-limit', '51'] }
}

/** The project of an agent's file; `.cursor/mcp.json` is one folder below it. */
function projectOf(file: string): string {
  const folder = dirname(file)
  return /[\\/]\.(cursor|codex|gemini|vscode|zed|opencode)$/.test(folder) ? dirname(folder) : folder
}

/** For a file in the repository. */
export const shared = { scope: 'project', isShared: true } as const

/** The value at a path of a document, or `undefined`. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

/** The nearest file of that name at or above `cwd`, except the user's own at home and those of other users; falls back to the path in `cwd`. */
export function nearest(cwd: string, path: string, home: string): string {
  const folders = ancestors(cwd).filter((folder) => folder !== home)
  return (
    folders
      .map((folder) => join(folder, path))
      .find((file) => existsSync(file) && otherOwner(file) === null) ?? join(cwd, path)
  )
}

/** The files in a project that list the servers of an agent, from the table of protected files. */
export function projectFiles(agent: keyof typeof agentFiles): readonly string[] {
  return words(agentFiles[agent].servers)
}

/** A folder and all its parents, nearest first. */
export function ancestors(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...ancestors(above)]
}

/** The folder in which programs keep their settings, per operating system. */
export function settingsFolder(env: Readonly<NodeJS.ProcessEnv>): string {
  const home = homeOf(env)
  if (process.platform === 'darwin') return join(home, 'Library/Application Support')
  if (process.platform === 'win32') return env.APPDATA || join(home, 'AppData/Roaming')
  return xdgFolder(env)
}

/** `~/.config`, also on macOS, for programs from Linux. */
export function xdgFolder(env: Readonly<NodeJS.ProcessEnv>): string {
  return env.XDG_CONFIG_HOME || join(homeOf(env), '.config')
}

export function homeOf({ HOME }: Readonly<NodeJS.ProcessEnv>): string {
  return HOME !== undefined && isAbsolute(HOME) ? HOME : homedir()
}
