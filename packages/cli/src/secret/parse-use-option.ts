import { basename, dirname, resolve } from 'node:path'
import { didYouMean, formatUse, parseUse, splitUse, toolUse } from '@curfew/core/internal'
import { loadConfig, loadExtensions } from '@curfew/extensions'
import { hostUse, realFolder } from '@curfew/extensions/internal'
import { loadServers, secretUseOf } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'

const toolName = /^[A-Za-z0-9_./-]{1,128}$/
/** As a URL parser normalizes it: an international name is encoded, and `*` is not allowed. */
const hostName = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/

/** Parses `--for`, who may use a secret: a host, a user's tool, a project's tool, or a profile of the gateway. */
export async function parseUseOption(value: string): Promise<string> {
  const use = parseUse(value)
  const { kind, name, project } = splitUse(use)
  if (kind === 'host') return parseHost(name, value)
  if (kind === 'profile') return parseProfile(name, value)
  if (!toolName.test(name))
    throw invalid(value, 'expected a host, a tool, or "TOOL of FOLDER" for a tool of a project')
  if (project !== null) return toolUse(name, parseProject(project, value))
  if (!value.startsWith('tool:')) await rejectOtherTool(name)
  return use
}

/** A profile of config.json that does not exist is probably misspelt. */
async function parseProfile(name: string, option: string): Promise<string> {
  const { profiles } = await loadConfig()
  if (profiles.has(name)) return `profile:${name}`
  const names = [...profiles.keys()]
  const hint = didYouMean(name, names) || 'expected the name of a profile in config.json'
  throw invalid(option, hint)
}

/** `https://API.GitHub.com/user` is `api.github.com`. */
function parseHost(text: string, option: string): string {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? []
  const address = scheme === undefined ? `https://${text}` : text
  if ((scheme !== undefined && !/^https?:/i.test(scheme)) || !URL.canParse(address))
    throw invalid(option, 'expected a host such as api.github.com')
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      'curfew secret set: --for: expected a host such as api.github.com, got one with a user name',
    )
  if (!hostName.test(url.host)) throw invalid(option, 'expected one host such as api.github.com')
  return hostUse(url)
}

function parseProject(root: string, option: string): string {
  // The `.curfew` folder itself is accepted, too.
  const folder = basename(dirname(root)) === '.curfew' ? dirname(root) : root
  const real = realFolder(resolve(folder))
  if (real !== null) return real
  throw invalid(option, 'expected a project folder that contains .curfew')
}

/** A bare name is the user's own tool, so it is ambiguous if another tool has this name here. */
async function rejectOtherTool(name: string): Promise<void> {
  const use = await useHere(name)
  if (use === null || use === toolUse(name, null)) return
  const { kind, project } = splitUse(use)
  const alternative = project === null ? '' : `, or --for tool:${name} for your own`
  const reason =
    kind === 'host' ? 'is sent to a host' : 'belongs to a tool of this project, not to your own tool'
  throw invalid(name, `its secret ${reason}; write --for ${JSON.stringify(formatUse(use))}${alternative}`)
}

/** Who uses the secrets of the tool or server with this name here. */
async function useHere(name: string): Promise<string | null> {
  const { tools, roots } = await loadExtensions()
  const found = tools.find(({ tool }) => tool.name === name)
  if (found !== undefined) return found.tool.secretUse
  // Secrets belong to a server, not to one of its tools.
  const [, serverName] = /^mcp__(.+?)(?:__.*)?$/.exec(name) ?? []
  if (serverName === undefined) return null
  const { servers } = await loadServers(roots)
  const server = servers.find((one) => one.name === serverName)
  return server === undefined ? null : secretUseOf(server)
}

function invalid(option: string, problem: string): UsageError {
  return new UsageError(`curfew secret set: --for ${JSON.stringify(option)}: ${problem}`)
}
