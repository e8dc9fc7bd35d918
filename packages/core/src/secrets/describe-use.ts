import { basename, dirname, join } from 'node:path'
import { escapeInvisible } from '../text/escape-invisible.ts'

const projectFolder = '.curfew'

/**
 * The use of a tool, or of an MCP server (`mcp__<server>`). A tool defined by a project is bound to that project, because
 * another project, or the user, may have a tool with the same name. `project` is the real path of its `.curfew`.
 */
export function toolUse(name: string, project: string | null): string {
  return project === null ? `tool:${name}` : `tool:${name}@${project}`
}

/** For people: `api.example.com`, `your tool script_deploy`, `the tool script_deploy of /home/me/shop`. */
export function describeUse(use: string): string {
  const { kind, name, project } = splitUse(use)
  if (kind === 'host') return visible(name)
  if (kind === 'sign-in') return `the sign-in to ${visible(name)}`
  if (kind === 'profile') return `the profile ${visible(name)}`
  const [, server] = /^mcp__(.+)$/.exec(name) ?? []
  const what = visible(server === undefined ? `tool ${name}` : `MCP server ${server}`)
  return project === null ? `your ${what}` : `the ${what} of ${visible(folderOf(project))}`
}

/** The argument of `--for`: `api.example.com`, `script_deploy`, `script_deploy of /home/me/shop`. */
export function formatUse(use: string): string {
  const { kind, name, project } = splitUse(use)
  if (kind === 'sign-in') return describeUse(use)
  if (kind === 'profile') return use
  const short = project === null ? name : `${name} of ${folderOf(project)}`
  return parseUse(short) === use ? short : use
}

/** The reverse of `formatUse`. Does not check that the host, tool or project exists. */
export function parseUse(text: string): string {
  if (/^(host|tool|profile):./.test(text)) return text
  const [, name, folder] = /^(\S+) of (.+)$/s.exec(text) ?? []
  if (name !== undefined && folder !== undefined) return toolUse(name, join(folder, projectFolder))
  return /[.:]/.test(text) || text === 'localhost' ? `host:${text}` : toolUse(text, null)
}

/** The command that stores a secret for this use. */
export function storeSecretCommand(key: string, use: string | null): string {
  const command = `curfew secret set ${key}`
  return use === null ? command : `${command} --for ${shellWord(formatUse(use))}`
}

interface SplitUse {
  /** `host`, `tool`, `profile` or `sign-in`. */
  readonly kind: string
  readonly name: string
  /** The `.curfew` of the project that defines the tool. */
  readonly project: string | null
}

/** Tool names never contain `@`; paths may. */
export function splitUse(use: string): SplitUse {
  const [, kind = 'tool', rest = use] = /^([a-z-]+):(.*)$/s.exec(use) ?? []
  const at = kind === 'tool' ? rest.indexOf('@') : -1
  return at < 0
    ? { kind, name: rest, project: null }
    : { kind, name: rest.slice(0, at), project: rest.slice(at + 1) }
}

/** If `.curfew` links to a folder with another name, that folder is shown. */
function folderOf(project: string): string {
  return basename(project) === projectFolder ? dirname(project) : project
}

function visible(text: string): string {
  return escapeInvisible(text).replaceAll('\n', '\\u000a')
}

/** Quotes a folder name with spaces, or an IPv6 address with brackets. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
