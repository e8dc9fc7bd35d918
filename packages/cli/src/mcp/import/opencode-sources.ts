import { isAbsolute, join, resolve } from 'node:path'
import { isJsonObject } from '@curfew/core/internal'
import { approvalUnknown, type Choices } from './agent-choices.ts'
import type { ServerContext } from './dialects.ts'
import { fileSecret } from './file-secret.ts'
import { homeOf, nearest, projectFiles, type Source, shared, source, valueAt, xdgFolder } from './source.ts'
import { literal, type Translated, Translation } from './translation.ts'

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
          isJsonObject(document) ? toolChoices(document, 'unknown') : approvalUnknown,
      }),
    ),
  ]
}

/** In version 2, the servers are one level deeper. */
function isVersion2(document: unknown): boolean {
  const servers = valueAt(document, ['mcp', 'servers'])
  return isJsonObject(servers) && typeof servers.type !== 'string'
}

/** `"tools": { "github*": false }` disables all tools of a server. */
function toolChoices(document: unknown, otherwise: 'on' | 'unknown'): Choices {
  const tools = valueAt(document, ['tools'])
  const off = Object.entries(isJsonObject(tools) ? tools : {}).flatMap(([pattern, isOn]) =>
    isOn === false ? [pattern] : [],
  )
  return (name) =>
    off.some((pattern) => coversServer(pattern, name.replace(/[^A-Za-z0-9_-]/g, '_'))) ? 'off' : otherwise
}

function coversServer(pattern: string, name: string): boolean {
  if (pattern === name) return true
  return pattern.endsWith('*') && `${name}_`.startsWith(pattern.slice(0, -1))
}

/** Uses milliseconds, `{env:NAME}` and `{file:PATH}`. The command is an array. */
export function fromOpencode(server: Readonly<Record<string, unknown>>, context: ServerContext): Translated {
  const { timeout, oauth, enabled } = server
  const translation = new Translation({
    ...server,
    ...(isJsonObject(timeout) ? { timeout: timeout.request, startTimeout: timeout.startup } : {}),
    ...(isJsonObject(oauth) ? { oauth: { ...oauth, scopes: scopesOf(oauth.scope) } } : {}),
  })
  if (server.command === undefined && server.url === undefined && enabled === true)
    translation.reject('only enables a server that is defined elsewhere')
  translation.common()
  translation.rename('environment', 'env')
  dropRelativeFolder(translation, server.cwd, context)
  translation.each((text, position) =>
    text.replace(/\$|\{(env|file):([^}]+)\}/g, (found, kind?: string, value = '', at = 0) => {
      if (kind === undefined) return literal(found)
      if (kind === 'env') return /^[A-Za-z_]\w*$/.test(value) ? `\${${value}}` : ''
      const around = { before: text.slice(0, at), after: text.slice(at + found.length) }
      return fileSecret(translation, context, value, { position, ...around })
    }),
  )
  // The single timeout of version 1 also applies to the start.
  translation.duration('timeout', 'timeout', 1)
  translation.duration('startTimeout', 'startTimeout', 1)
  if (translation.take('enabled') === false) translation.set('disabled', true)
  const names = { clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' }
  translation.oauth({ ...names, client_id: 'clientId', client_secret: 'clientSecret' })
  return translation.end()
}

/** A relative folder starts at the project, also in the user's file. */
function dropRelativeFolder(translation: Translation, cwd: unknown, { isHome }: ServerContext): void {
  if (!isHome || typeof cwd !== 'string' || isAbsolute(cwd) || /^(~|\{)/.test(cwd)) return
  translation.unset('cwd')
  if (!/^\.?\/?$/.test(cwd))
    translation.note(
      '"cwd" was not imported: it is relative to each project; define the server in its project instead',
    )
}

function scopesOf(scope: unknown): readonly string[] | undefined {
  return typeof scope === 'string' ? scope.split(/\s+/).filter(Boolean) : undefined
}
