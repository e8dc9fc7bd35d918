import { join } from 'node:path'
import type { ConfigProblem, ConfigRoots } from '@curfew/extensions'
import { configError, configWarning, contentHash, readJsonFile } from '@curfew/extensions/internal'
import { readServer } from './read-server.ts'
import type { PinMode, ServerConfig } from './server-config.ts'
import { checkMcpFile } from './server-file.ts'

export interface LoadedServers {
  /** The user's servers, and those of the project if it is trusted. */
  readonly servers: readonly ServerConfig[]
  /** The servers that are disabled, or need environment variables that are not set. */
  readonly unused: readonly UnusedServer[]
  readonly problems: readonly ConfigProblem[]
}

export interface UnusedServer {
  readonly name: string
  readonly file: string
  /** The names of the variables; empty if it is disabled. */
  readonly needs: readonly string[]
}

/** Why it is not used, and how to fix that. */
export function describeUnused({ needs }: Pick<UnusedServer, 'needs'>): string {
  const [name] = needs
  if (name === undefined) return 'disabled'
  return `needs ${needs.join(', ')}: set it, or write secret:${name} in mcp.json and run: curfew secret set ${name}`
}

/** For those who would use the servers: the missing variables. */
export function missingVariables(unused: readonly UnusedServer[]): readonly ConfigProblem[] {
  const incomplete = unused.filter(({ needs }) => needs.length > 0)
  return incomplete.map((server) =>
    configError(server.file, `mcpServers.${server.name}`, describeUnused(server)),
  )
}

/** The result for one entry of a file. An invalid one still reserves its name. */
type FoundServer = ServerConfig | 'disabled' | null

/** One `mcp.json`. */
export interface ServerFile {
  readonly file: string
  readonly ofProject: boolean
  /** Why a project may not set `trust`, which lets tools run without approval. */
  readonly trustIgnored?: string | null | undefined
  /** `broken`: none of its entries can be read. */
  readonly status: 'read' | 'missing' | 'broken'
  readonly entries: ReadonlyMap<string, FileEntry>
  readonly problems: readonly ConfigProblem[]
}

export interface FileEntry {
  readonly server: FoundServer
  /** The entry as it is written. */
  readonly raw: unknown
  /** Of `raw`: variables may have other values elsewhere. */
  readonly hash: string
  /** The environment variables that are not set. */
  readonly needs: readonly string[]
}

export const mcpFileName = 'mcp.json'

/**
 * Loads the user's servers, and those of the project if it is trusted. A project's server overrides the user's server with the same
 * name, even if it is disabled or invalid, because it may be a different server. Never rejects because of a file.
 */
export async function loadServers(
  roots: ConfigRoots,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<LoadedServers> {
  return mergeServerFiles(await readServerFiles(roots, env))
}

/** Reads the user's file, and the project's if it is trusted. */
export async function readServerFiles(
  { user, project, projectAllowIgnored: trustIgnored }: ConfigRoots,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<ServerFile[]> {
  const ofUser = readFile(user, false, env)
  if (!project?.trusted) return [await ofUser]
  return [await ofUser, { ...(await readFile(project.path, true, env)), trustIgnored }]
}

export function mergeServerFiles(files: readonly ServerFile[]): LoadedServers {
  const problems = files.flatMap((file) => file.problems)
  const byName = new Map<string, UnusedServer & { readonly found: FoundServer }>()
  for (const { ofProject, trustIgnored = null, file, entries } of files) {
    for (const [name, { server, needs }] of entries) {
      const isFromProject = ofProject && typeof server === 'object' && server !== null
      if (isFromProject && server.pin !== 'strict') problems.push(looserPin(file, name, server.pin))
      const isTrustIgnored = isFromProject && server.trust && trustIgnored !== null
      if (isTrustIgnored)
        problems.push(configWarning(file, `mcpServers.${name}.trust`, `${trustIgnored}, so it is ignored`))
      const found = isFromProject
        ? { ...server, ofProject: true, pin: 'strict' as const, trust: server.trust && !isTrustIgnored }
        : server
      byName.set(name, { found, name, file, needs })
    }
  }
  const servers: ServerConfig[] = []
  const unused: UnusedServer[] = []
  for (const { found, ...server } of byName.values()) {
    if (found === 'disabled' || server.needs.length > 0) unused.push(server)
    else if (found !== null) servers.push(found)
  }
  return { servers, unused, problems }
}

/** A project cannot decide that its servers may change their tools unnoticed. */
function looserPin(file: string, name: string, pin: PinMode): ConfigProblem {
  const message = `${JSON.stringify(pin)} is looser than the default, "strict", so it is ignored in a project`
  return configWarning(file, `mcpServers.${name}.pin`, message)
}

function looksLikeServer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('command' in value || 'url' in value)
}

async function readFile(
  root: string,
  ofProject: boolean,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<ServerFile> {
  const file = join(root, mcpFileName)
  const entries = new Map<string, FileEntry>()
  const result = (status: ServerFile['status'], problems: readonly ConfigProblem[]): ServerFile => ({
    file,
    ofProject,
    status,
    entries,
    problems,
  })
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return result('missing', [])
  if (read.kind === 'problem') return result('broken', [read.problem])
  const { document, problems: schemaProblems } = checkMcpFile(read.value, file)
  if (document === null) return result('broken', [...read.problems, ...schemaProblems])
  const problems = schemaProblems.map((problem): ConfigProblem => {
    const { field } = problem
    // VS Code's key.
    if (field === 'servers') return configWarning(file, field, 'is ignored; use "mcpServers"')
    const isServer = field !== null && looksLikeServer((read.value as Record<string, unknown>)[field])
    return isServer ? configWarning(file, field, 'is ignored; move this server into "mcpServers"') : problem
  })
  for (const [name, entry] of Object.entries(document.mcpServers ?? {})) {
    if (name.startsWith('//')) continue
    const { server, problems: more, needs } = readServer(name, entry, { file, root, env })
    entries.set(name, { server, raw: entry, hash: contentHash(entry), needs })
    // Missing variables concern only those who use the server.
    if (needs.length === 0) problems.push(...more)
  }
  return result('read', [...read.problems, ...problems])
}
