import { basename, dirname, resolve } from 'node:path'
import { formatUse, parseUse, splitUse, toolUse } from '@curfew/core/internal'
import { loadExtensions } from '@curfew/extensions'
import { hostUse, realFolder } from '@curfew/extensions/internal'
import { loadServers, secretUseOf } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'

const toolName = /^[A-Za-z0-9_./-]{1,128}$/
/** As a URL parser leaves it: an international name is encoded by then, and a `*` is none. */
const hostName = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/

/** Who may get a secret, as a person writes it after `--for`: a host, a tool of their own, or one of a project. */
export async function parseUseOption(text: string): Promise<string> {
  const use = parseUse(text)
  const { kind, name, project } = splitUse(use)
  if (kind === 'host') return readHost(name, text)
  if (!toolName.test(name))
    throw wrong(text, 'expected a host, a tool, or a tool "of" the folder of a project')
  if (project !== null) return toolUse(name, readProject(project, text))
  if (!text.startsWith('tool:')) await refuseAnother(name)
  return use
}

/** `https://API.GitHub.com/user` is `api.github.com`. */
function readHost(text: string, given: string): string {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? []
  const address = scheme === undefined ? `https://${text}` : text
  if ((scheme !== undefined && !/^https?:/i.test(scheme)) || !URL.canParse(address))
    throw wrong(given, 'expected a host such as api.github.com')
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      'curfew secret: --for: expected a host such as api.github.com, got one with a user name',
    )
  if (!hostName.test(url.host)) throw wrong(given, 'expected one host such as api.github.com')
  return hostUse(url)
}

function readProject(root: string, given: string): string {
  // Who writes the `.curfew` itself means the same.
  const folder = basename(dirname(root)) === '.curfew' ? dirname(root) : root
  const real = realFolder(resolve(folder))
  if (real !== null) return real
  throw wrong(given, 'expected the folder of a project, which has a .curfew')
}

/** The name alone is the user's own tool. If it is another one here, that may be the one that was meant. */
async function refuseAnother(name: string): Promise<void> {
  const use = await useHere(name)
  if (use === null || use === toolUse(name, null)) return
  const { kind, project } = splitUse(use)
  const own = project === null ? '' : `, or --for tool:${name} for your own`
  const why = kind === 'host' ? 'is sent to a host' : 'is not one of your own, but of this project'
  throw wrong(name, `its secret ${why}; write --for ${JSON.stringify(formatUse(use))}${own}`)
}

/** Who gets the secrets of what has this name here. */
async function useHere(name: string): Promise<string | null> {
  const { tools, roots } = await loadExtensions()
  const found = tools.find(({ tool }) => tool.name === name)
  if (found !== undefined) return found.tool.secretUse
  // A server has them, not one of its tools.
  const [, serverName] = /^mcp__(.+?)(?:__.*)?$/.exec(name) ?? []
  if (serverName === undefined) return null
  const { servers } = await loadServers(roots)
  const server = servers.find((one) => one.name === serverName)
  return server === undefined ? null : secretUseOf(server)
}

function wrong(given: string, problem: string): UsageError {
  return new UsageError(`curfew secret: --for ${JSON.stringify(given)}: ${problem}`)
}
