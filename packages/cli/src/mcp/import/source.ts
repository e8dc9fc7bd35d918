import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { type Choices, everythingOn } from './agent-choices.ts'
import type { Dialect } from './dialects.ts'
import { isRecord } from './is-record.ts'

/** A place where an agent keeps its servers. */
export interface Source {
  readonly agent: string
  /** For the name of a server whose own name is taken. */
  readonly suffix: string
  readonly file: string
  /** `project`: they are meant for where we are, and go into this project's mcp.json. */
  readonly scope: 'user' | 'project'
  /** The file is the repository's: others wrote it, and others read it. */
  readonly isShared: boolean
  /** Where in the file, for people. */
  readonly place: string
  readonly dialect: Dialect
  /** Where in the file, key by key. */
  pathIn(document: unknown): readonly string[]
  /** What a person has told the agent about its servers. */
  choices(document: unknown): Promise<Choices>
  /** Servers for all projects that are switched off in this one. */
  offHere(document: unknown): readonly string[]
}

export function source(
  given: Pick<Source, 'agent' | 'suffix' | 'file' | 'dialect'> & Partial<Source>,
): Source {
  return {
    scope: 'user',
    isShared: false,
    place: '"mcpServers"',
    pathIn: () => ['mcpServers'],
    choices: async () => everythingOn,
    offHere: () => [],
    ...given,
  }
}

/** For a file of the repository. */
export const shared = { scope: 'project', isShared: true } as const

/** What stands at a path of a document; `undefined` if there is nothing. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

/** The nearest file of that name, but not the one at home, which is the user's; where it would be if there is none. */
export function nearest(cwd: string, path: string, home: string): string {
  const folders = ancestors(cwd).filter((folder) => folder !== home)
  return folders.map((folder) => join(folder, path)).find((file) => existsSync(file)) ?? join(cwd, path)
}

/** A folder, and those above it. */
export function ancestors(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...ancestors(above)]
}

export function homeOf({ HOME }: Readonly<NodeJS.ProcessEnv>): string {
  return HOME !== undefined && isAbsolute(HOME) ? HOME : homedir()
}
