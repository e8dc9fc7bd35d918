import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { allEnabled, type Choices } from './agent-choices.ts'
import type { Dialect } from './dialects.ts'
import { isRecord } from './is-record.ts'

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
  /** The location in the file, for messages. */
  readonly place: string
  readonly dialect: Dialect
  /** The keys that lead to the servers. */
  pathIn(document: unknown): readonly string[]
  /** The user's decisions about the servers. */
  choices(document: unknown): Promise<Choices>
  /** User-level servers that are disabled in this project. */
  disabledHere(document: unknown): readonly string[]
}

export function source(
  fields: Pick<Source, 'agent' | 'suffix' | 'file' | 'dialect'> & Partial<Source>,
): Source {
  return {
    scope: 'user',
    isShared: false,
    place: '"mcpServers"',
    pathIn: () => ['mcpServers'],
    choices: async () => allEnabled,
    disabledHere: () => [],
    ...fields,
  }
}

/** For a file in the repository. */
export const shared = { scope: 'project', isShared: true } as const

/** The value at a path of a document, or `undefined`. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

/** The nearest file of that name at or above `cwd`, except the user's own at home; falls back to the path in `cwd`. */
export function nearest(cwd: string, path: string, home: string): string {
  const folders = ancestors(cwd).filter((folder) => folder !== home)
  return folders.map((folder) => join(folder, path)).find((file) => existsSync(file)) ?? join(cwd, path)
}

/** A folder and all its parents, nearest first. */
export function ancestors(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...ancestors(above)]
}

export function homeOf({ HOME }: Readonly<NodeJS.ProcessEnv>): string {
  return HOME !== undefined && isAbsolute(HOME) ? HOME : homedir()
}
