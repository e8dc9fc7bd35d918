import { join } from 'node:path'
import type { ConfigProblem, ConfigRoots } from '@curfew/extensions'
import { configWarning, readJsonFile } from '@curfew/extensions/internal'
import { readServer } from './read-server.ts'
import type { ServerConfig } from './server-config.ts'
import { checkMcpFile } from './server-file.ts'

export interface LoadedServers {
  /** The user's servers, and those of the project if it is trusted. */
  readonly servers: readonly ServerConfig[]
  /** Those that are switched off. */
  readonly disabled: readonly DisabledServer[]
  readonly problems: readonly ConfigProblem[]
}

export interface DisabledServer {
  readonly name: string
  readonly file: string
}

/** All that stands in one file: a name that cannot be used is taken all the same. */
type FoundServer = ServerConfig | 'disabled' | null

export const mcpFileName = 'mcp.json'

/**
 * The servers for somebody who stands here: those of the user, and over them those of the project if it is trusted. Of two with
 * one name it is the project's that counts, even if it is switched off or broken: it may well be something else. Never rejects because of a file.
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
      const isOfProject = root !== user && typeof server === 'object' && server !== null
      byName.set(name, { found: isOfProject ? { ...server, ofProject: true } : server, file })
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
  const { document, problems: wrong } = checkMcpFile(read.value, file)
  if (document === null) return { root, file, found, problems: [...read.problems, ...wrong] }
  const problems = wrong.map((problem): ConfigProblem => {
    const { field } = problem
    // As VS Code has it.
    if (field === 'servers') return configWarning(file, field, 'does nothing here; it is called "mcpServers"')
    const lost = field !== null && looksLikeServer((read.value as Record<string, unknown>)[field])
    return lost ? configWarning(file, field, 'does nothing here; put this server into "mcpServers"') : problem
  })
  for (const [name, entry] of Object.entries(document.mcpServers ?? {})) {
    if (name.startsWith('//')) continue
    const { server, problems: more } = readServer(name, entry, { file, root, env })
    found.set(name, server)
    problems.push(...more)
  }
  return { root, file, found, problems: [...read.problems, ...problems] }
}
