import { dirname, join, resolve, sep } from 'node:path'
import { isRecord } from './is-record.ts'
import { readDocument } from './read-source.ts'

/**
 * What a person has told an agent about one of its servers. `unapproved`: a repository brings it, and nobody said yes to it;
 * `unasked`: nobody can tell.
 */
export type Choice = 'on' | 'off' | 'unapproved' | 'unasked'

/** Looks up what a person has told the agent about each server of a file. */
export type Choices = (name: string) => Choice

type Settings = Readonly<Record<string, unknown>>

export const everythingOn: Choices = () => 'on'
export const nobodyAsked: Choices = () => 'unasked'

/** Servers in `~/.claude.json` that are meant for this folder: those that `/mcp` switched off in it. */
export function claudeLocalChoices(projects: readonly Settings[]): Choices {
  const off = namesIn(projects, 'disabledMcpServers')
  return (name) => (off.has(name) ? 'off' : 'on')
}

/**
 * Servers of a repository's `.mcp.json`: Claude Code asks about each. What the repository's own settings say counts once its
 * folder was trusted; that a server is off counts wherever it stands.
 */
export async function claudeSharedChoices(
  file: string,
  { claudeFolder, projects }: { readonly claudeFolder: string; readonly projects: readonly Settings[] },
): Promise<Choices> {
  const folder = join(dirname(file), '.claude')
  const own = await settingsIn(join(claudeFolder, 'settings.json'))
  const shared = [
    await settingsIn(join(folder, 'settings.json')),
    await settingsIn(join(folder, 'settings.local.json')),
  ]
  const isTrusted = projects.some((project) => project.hasTrustDialogAccepted === true)
  const heard = [own, ...projects, ...(isTrusted ? shared : [])]
  const off = namesIn([own, ...projects, ...shared], 'disabledMcpjsonServers')
  const approved = namesIn(heard, 'enabledMcpjsonServers')
  const all = heard.some((settings) => settings.enableAllProjectMcpServers === true)
  return (name) => (off.has(name) ? 'off' : all || approved.has(name) ? 'on' : 'unapproved')
}

/** `mcp.excluded` and `mcp.allowed`, their older names, and what `gemini mcp disable` wrote. */
export async function geminiChoices(
  files: readonly string[],
  home: string,
  project: string | null,
): Promise<Choices> {
  const folder = join(home, '.gemini')
  const all = await Promise.all(files.map(settingsIn))
  const lists = all.map((settings) => (isRecord(settings.mcp) ? settings.mcp : {}))
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
    return isRecord(entry) && entry.enabled === false
  }
  const trusted = project === null ? 'on' : await geminiTrust(all[0] ?? {}, folder, project)
  return (name) => {
    if (off.has(name) || isOff(name) || allowed.some((names) => !names.has(name))) return 'off'
    return trusted
  }
}

/** Gemini asks about each folder, unless the user switched that off. The rule for the nearest folder counts. */
async function geminiTrust(user: Settings, folder: string, project: string): Promise<Choice> {
  const { security } = user
  const { folderTrust } = isRecord(security) ? security : {}
  if (isRecord(folderTrust) && folderTrust.enabled === false) return 'unasked'
  const rules = await settingsIn(join(folder, 'trustedFolders.json'))
  const [nearest] = Object.entries(rules)
    .map(([path, rule]) => ({ path: rule === 'TRUST_PARENT' ? dirname(path) : path, rule }))
    .filter(({ path }) => isWithin(project, path))
    .sort((a, b) => b.path.length - a.path.length)
  return nearest?.rule === 'TRUST_FOLDER' || nearest?.rule === 'TRUST_PARENT' ? 'on' : 'unapproved'
}

/** Codex reads a project's file only if the user's says that the project is trusted. */
export async function codexProjectChoices(userFile: string, project: string): Promise<Choices> {
  const { projects } = await settingsIn(userFile)
  const isTrusted = Object.entries(isRecord(projects) ? projects : {}).some(
    ([path, settings]) => isRecord(settings) && settings.trust_level === 'trusted' && isWithin(project, path),
  )
  return () => (isTrusted ? 'on' : 'unapproved')
}

function isWithin(path: string, folder: string): boolean {
  const whole = resolve(folder)
  return path === whole || path.startsWith(whole.endsWith(sep) ? whole : whole + sep)
}

/** One that is missing or broken says nothing. */
async function settingsIn(file: string): Promise<Settings> {
  const read = await readDocument(file)
  return read.kind === 'document' && isRecord(read.document) ? read.document : {}
}

function namesIn(all: readonly Settings[], key: string): ReadonlySet<unknown> {
  return new Set(all.flatMap((settings) => (Array.isArray(settings[key]) ? settings[key] : [])))
}
