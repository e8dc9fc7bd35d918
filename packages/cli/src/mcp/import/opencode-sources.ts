import { join, resolve } from 'node:path'
import { approvalUnknown, type Choices } from './agent-choices.ts'
import { fromOpencode } from './from-opencode.ts'
import { isRecord } from './is-record.ts'
import { homeOf, nearest, projectFiles, type Source, shared, source, valueAt, xdgFolder } from './source.ts'

export const opencode: Pick<Source, 'agent' | 'suffix' | 'dialect' | 'pathIn' | 'curfewEntry' | 'choices'> = {
  agent: 'opencode',
  suffix: 'opencode',
  dialect: fromOpencode,
  pathIn: (document) => (isVersion2(document) ? ['mcp', 'servers'] : ['mcp']),
  curfewEntry: ({ command, args }, document) => ({
    type: 'local',
    command: [command, ...args, '--name-limit', '57'],
    timeout: isVersion2(document) ? { request: hourMs } : hourMs,
  }),
  choices: async (document) => toolChoices(document, 'on'),
}

const hourMs = 3_600_000

/** The user's files, and those of the project. */
export function opencodeSources(cwd: string, env: Readonly<NodeJS.ProcessEnv>): readonly Source[] {
  const home = homeOf(env)
  const folder = join(xdgFolder(env), 'opencode')
  const user = [
    ...['opencode.json', 'opencode.jsonc', 'config.json'].map((name) => join(folder, name)),
    ...(env.OPENCODE_CONFIG ? [resolve(cwd, env.OPENCODE_CONFIG)] : []),
  ]
  return [
    ...user.map((file) => source({ ...opencode, file, folder: home })),
    ...projectFiles('opencode').map((path) =>
      source({
        ...opencode,
        file: nearest(cwd, path, home),
        ...shared,
        // It starts the servers of a repository without asking.
        choices: async (document) =>
          isRecord(document) ? toolChoices(document, 'unknown') : approvalUnknown,
      }),
    ),
  ]
}

/** In version 2, the servers are one level deeper. */
function isVersion2(document: unknown): boolean {
  const servers = valueAt(document, ['mcp', 'servers'])
  return isRecord(servers) && typeof servers.type !== 'string'
}

/** `"tools": { "github*": false }` disables all tools of a server. */
function toolChoices(document: unknown, otherwise: 'on' | 'unknown'): Choices {
  const tools = valueAt(document, ['tools'])
  const off = Object.entries(isRecord(tools) ? tools : {}).flatMap(([pattern, isOn]) =>
    isOn === false ? [pattern] : [],
  )
  return (name) =>
    off.some((pattern) => coversServer(pattern, name.replace(/[^A-Za-z0-9_-]/g, '_'))) ? 'off' : otherwise
}

function coversServer(pattern: string, name: string): boolean {
  if (pattern === name) return true
  return pattern.endsWith('*') && `${name}_`.startsWith(pattern.slice(0, -1))
}
