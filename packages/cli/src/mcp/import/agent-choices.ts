import { dirname, join, resolve, sep } from 'node:path'
import { isJsonObject } from '@curfew/core/internal'
import { readDocument } from './read-source.ts'

/**
 * The user's decision about a server in the agent. `unapproved`: it comes from a repository and was not approved;
 * `unknown`: it comes from a repository, and the agent's files do not show whether it was approved.
 */
export type Choice = 'on' | 'off' | 'unapproved' | 'unknown'

/** Returns the decision about each server of a file. */
export type Choices = (name: string) => Choice

type Settings = Readonly<Record<string, unknown>>

export const allEnabled: Choices = () => 'on'
export const approvalUnknown: Choices = () => 'unknown'

/** For the servers that `~/.claude.json` lists for this folder: `/mcp` can disable them. */
export function claudeLocalChoices(projects: readonly Settings[]): Choices {
  const off = namesIn(projects, 'disabledMcpServers')
  return (name) => (off.has(name) ? 'off' : 'on')
}

/**
 * For the servers of a repository's `.mcp.json`: Claude Code asks about each. Approvals in the repository's own settings count only if
 * the folder was trusted; a server is disabled if any settings file disables it.
 */
export async function claudeSharedChoices(
  file: string,
  { claudeFolder, projects }: { readonly claudeFolder: string; readonly projects: readonly Settings[] },
): Promise<Choices> {
  const folder = join(dirname(file), '.claude')
  const user = await settingsIn(join(claudeFolder, 'settings.json'))
  const shared = [
    await settingsIn(join(folder, 'settings.json')),
    await settingsIn(join(folder, 'settings.local.json')),
  ]
  const isTrusted = projects.some((project) => project.hasTrustDialogAccepted === true)
  const effective = [user, ...projects, ...(isTrusted ? shared : [])]
  const off = namesIn([user, ...projects], 'disabledMcpjsonServers')
  const offForAll = namesIn(shared, 'disabledMcpjsonServers')
  const approved = namesIn(effective, 'enabledMcpjsonServers')
  const all = effective.some((settings) => settings.enableAllProjectMcpServers === true)
  return (name) => {
    if (off.has(name)) return 'off'
    if (!all && !approved.has(name)) return isTrusted && offForAll.has(name) ? 'off' : 'unapproved'
    return offForAll.has(name) ? 'off' : 'on'
  }
}

/** Reads `mcp.excluded` and `mcp.allowed`, their older names, and the file that `gemini mcp disable` writes. */
export async function geminiChoices(
  files: readonly string[],
  home: string,
  project: string | null,
): Promise<Choices> {
  const folder = join(home, '.gemini')
  const all = await Promise.all(files.map(settingsIn))
  const lists = all.map((settings) => (isJsonObject(settings.mcp) ? settings.mcp : {}))
  const off = new Set([...namesIn(lists, 'excluded'), ...namesIn(all, 'excludeMCPServers')])
  const allowed = [
    ...lists.map(({ allowed: names }) => names),
    ...all.map((settings) => settings.allowMCPServers),
  ]
    .filter(Array.isArray)
    .map((names) => new Set(names))
  const switches = await settingsIn(join(folder, 'mcp-server-enablement.json'))
  const isOff = (name: string): boolean => {
    const entry = Object.entries(switches).find(([id]) => id === name.toLowerCase().trim())?.[1]
    return isJsonObject(entry) && entry.enabled === false
  }
  const trusted = project === null ? 'on' : await geminiTrust(all[0] ?? {}, folder, project)
  return (name) => {
    if (trusted === 'unapproved') return trusted
    if (off.has(name) || isOff(name) || allowed.some((names) => !names.has(name))) return 'off'
    return trusted
  }
}

/** Gemini asks about each folder unless the user disabled that. The rule for the nearest folder applies. */
async function geminiTrust(user: Settings, folder: string, project: string): Promise<Choice> {
  const { security } = user
  const { folderTrust } = isJsonObject(security) ? security : {}
  if (isJsonObject(folderTrust) && folderTrust.enabled === false) return 'unknown'
  const rules = await settingsIn(join(folder, 'trustedFolders.json'))
  const [nearest] = Object.entries(rules)
    .map(([path, rule]) => ({ path: rule === 'TRUST_PARENT' ? dirname(path) : path, rule }))
    .filter(({ path }) => isWithin(project, path))
    .sort((a, b) => b.path.length - a.path.length)
  return nearest?.rule === 'TRUST_FOLDER' || nearest?.rule === 'TRUST_PARENT' ? 'on' : 'unapproved'
}

/** Codex reads a project's file only if the user's file marks the project as trusted. */
export async function codexProjectChoices(userFile: string, project: string): Promise<Choices> {
  const { projects } = await settingsIn(userFile)
  const isTrusted = Object.entries(isJsonObject(projects) ? projects : {}).some(
    ([path, settings]) =>
      isJsonObject(settings) && settings.trust_level === 'trusted' && isWithin(project, path),
  )
  return () => (isTrusted ? 'on' : 'unapproved')
}

function isWithin(path: string, folder: string): boolean {
  const parent = resolve(folder)
  return path === parent || path.startsWith(parent.endsWith(sep) ? parent : parent + sep)
}

/** A missing or invalid file counts as empty. */
async function settingsIn(file: string): Promise<Settings> {
  const read = await readDocument(file)
  return read.kind === 'document' && isJsonObject(read.document) ? read.document : {}
}

function namesIn(all: readonly Settings[], key: string): ReadonlySet<unknown> {
  return new Set(all.flatMap((settings) => (Array.isArray(settings[key]) ? settings[key] : [])))
}
