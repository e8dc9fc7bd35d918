import { join } from 'node:path'
import type { ConfigProblem, ConfigRoots } from '@curfew/extensions'
import { configWarning, contentHash, readJsonFile } from '@curfew/extensions/internal'
import { readServer } from './read-server.ts'
import type { PinMode, ServerConfig } from './server-config.ts'
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

/** One `mcp.json`. */
export interface ServerFile {
  readonly file: string
  readonly ofProject: boolean
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
  { user, project }: ConfigRoots,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<ServerFile[]> {
  return await Promise.all([
    readFile(user, false, env),
    ...(project?.trusted ? [readFile(project.path, true, env)] : []),
  ])
}

export function mergeServerFiles(files: readonly ServerFile[]): LoadedServers {
  const problems = files.flatMap((file) => file.problems)
  const byName = new Map<string, { readonly found: FoundServer; readonly file: string }>()
  for (const { ofProject, file, entries } of files) {
    for (const [name, { server }] of entries) {
      const isFromProject = ofProject && typeof server === 'object' && server !== null
      if (isFromProject && server.pin !== 'strict') problems.push(looserPin(file, name, server.pin))
      const found = isFromProject ? { ...server, ofProject: true, pin: 'strict' as const } : server
      byName.set(name, { found, file })
    }
  }
  const servers: ServerConfig[] = []
  const disabled: DisabledServer[] = []
  for (const [name, { found, file }] of byName) {
    if (found === 'disabled') disabled.push({ name, file })
    else if (found !== null) servers.push(found)
  }
  return { servers, disabled, problems }
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
    const { server, problems: more } = readServer(name, entry, { file, root, env })
    entries.set(name, { server, raw: entry, hash: contentHash(entry) })
    problems.push(...more)
  }
  return result('read', [...read.problems, ...problems])
}
