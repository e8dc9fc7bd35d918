import { join } from 'node:path'
import type { ConfigProblem, ConfigRoots } from '@curfew/extensions'
import { configWarning, readJsonFile } from '@curfew/extensions/internal'
import { readServer } from './read-server.ts'
import type { ServerConfig } from './server-config.ts'
import { checkMcpFile } from './server-file.ts'

export interface LoadedServers {
  /** The user's servers, and those of the project if it is trusted. */
  readonly servers: readonly ServerConfig[]
  /** The servers with `disabled: true`. */
  readonly disabled: readonly DisabledServer[]
  readonly problems: readonly ConfigProblem[]
}

export interface DisabledServer {
  readonly name: string
  readonly file: string
}

/** The result for one entry of a file. An invalid one still reserves its name. */
type FoundServer = ServerConfig | 'disabled' | null

export const mcpFileName = 'mcp.json'

/**
 * Loads the user's servers, and those of the project if it is trusted. A project's server overrides the user's server with the same
 * name, even if it is disabled or invalid, because it may be a different server. Never rejects because of a file.
 */
export async function loadServers(
  roots: ConfigRoots,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<LoadedServers> {
  const { user, project } = roots
  const folders = [user, ...(project?.trusted ? [project.path] : [])]
  const files = await Promise.all(folders.map((root) => readFile(root, env)))
  const byName = new Map<string, { readonly found: FoundServer; readonly file: string }>()
  for (const { root, file, found } of files) {
    for (const [name, server] of found) {
      const isFromProject = root !== user && typeof server === 'object' && server !== null
      byName.set(name, { found: isFromProject ? { ...server, ofProject: true } : server, file })
    }
  }
  const servers: ServerConfig[] = []
  const disabled: DisabledServer[] = []
  for (const [name, { found, file }] of byName) {
    if (found === 'disabled') disabled.push({ name, file })
    else if (found !== null) servers.push(found)
  }
  return { servers, disabled, problems: files.flatMap(({ problems }) => problems) }
}

function looksLikeServer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('command' in value || 'url' in value)
}

interface ReadFile {
  readonly root: string
  readonly file: string
  readonly found: ReadonlyMap<string, FoundServer>
  readonly problems: readonly ConfigProblem[]
}

async function readFile(root: string, env: Readonly<NodeJS.ProcessEnv>): Promise<ReadFile> {
  const file = join(root, mcpFileName)
  const found = new Map<string, FoundServer>()
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return { root, file, found, problems: [] }
  if (read.kind === 'problem') return { root, file, found, problems: [read.problem] }
  const { document, problems: schemaProblems } = checkMcpFile(read.value, file)
  if (document === null) return { root, file, found, problems: [...read.problems, ...schemaProblems] }
  const problems = schemaProblems.map((problem): ConfigProblem => {
    const { field } = problem
    // VS Code's key.
    if (field === 'servers') return configWarning(file, field, 'is ignored; use "mcpServers"')
    const isServer = field !== null && looksLikeServer((read.value as Record<string, unknown>)[field])
    return isServer ? configWarning(file, field, 'is ignored; move this server into "mcpServers"') : problem
  })
  for (const [name, entry] of Object.entries(document.mcpServers ?? {})) {
    if (name.startsWith('//')) continue
    const { server, problems: more } = readServer(name, entry, { file, root, env })
    found.set(name, server)
    problems.push(...more)
  }
  return { root, file, found, problems: [...read.problems, ...problems] }
}
