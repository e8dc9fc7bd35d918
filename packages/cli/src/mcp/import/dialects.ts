import { isJsonObject } from '@curfew/core/internal'
import { expandEditorVariables } from './editor-variables.ts'
import { fileSecret } from './file-secret.ts'
import { literal, type Translated, Translation } from './translation.ts'

/** Where a server is defined. */
export interface ServerContext {
  /** The server's name. */
  readonly name: string
  /** The folder that the file applies to: the project's, or the home folder if `isHome`. */
  readonly folder: string
  /** The file applies to all projects. */
  readonly isHome: boolean
  readonly file: string
  /** The parsed file. */
  readonly document: unknown
}

/** Translates a server from an agent's format. */
export type Dialect = (server: Readonly<Record<string, unknown>>, context: ServerContext) => Translated

/** Curfew's own keys, because its files can be imported, too. `trust` is not imported. */
const curfewKeys = ['timeout', 'idleTimeout', 'startTimeout', 'eager', 'include', 'exclude'] as const

/** Expands only `${VAR}` and `${VAR:-default}`. */
export const fromClaude: Dialect = (server) => {
  const translation = new Translation(server)
  translation.common()
  translation.copy(curfewKeys)
  translation.oauth({ clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' })
  translation.each((text) => text.replace(/\$(?!\{)/g, '$$$$'))
  return translation.end()
}

/** Expands no variables. */
export const fromClaudeDesktop: Dialect = (server) => {
  const translation = new Translation(server)
  translation.common()
  translation.each(literal)
  return translation.end()
}

/** Has its own variables in addition to `${env:NAME}`. */
export const fromCursor: Dialect = (server, context) => {
  const translation = new Translation(server)
  translation.common()
  translation.oauth({ CLIENT_ID: 'clientId', CLIENT_SECRET: 'clientSecret', scopes: 'scopes' }, 'auth')
  translation.unsupported('envFile', 'put the variables of that file into "env"')
  expandEditorVariables(translation, context, (inside) => `\${${inside}}`)
  return translation.end()
}

/** Uses milliseconds, and `httpUrl` for Streamable HTTP. A plain `url` is SSE, which is detected automatically. */
export const fromGemini: Dialect = (server) => {
  const translation = new Translation(server)
  translation.common()
  if (translation.take('trust') === true)
    translation.note(
      '"trust" was not imported: it skips confirmation in Gemini; to do that here, use approval.rules.allow in config.json',
    )
  translation.rename('includeTools', 'include')
  translation.rename('excludeTools', 'exclude')
  translation.duration('timeout', 'timeout', 1)
  if (server.httpUrl !== undefined) {
    translation.rename('httpUrl', 'url')
    translation.set('type', 'http')
  }
  translation.oauth({ clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' })
  translation.unsupported('authProviderType', 'only OAuth with metadata from the server is supported')
  return translation.end()
}

/** Uses seconds, expands no variables, and has separate keys for values from variables. */
export const fromCodex: Dialect = (server) => {
  const translation = new Translation(server)
  translation.common()
  translation.rename('http_headers', 'headers')
  translation.rename('enabled_tools', 'include')
  translation.rename('disabled_tools', 'exclude')
  translation.each(literal)
  translation.duration('startup_timeout_sec', 'startTimeout', 1_000)
  translation.duration('startup_timeout_ms', 'startTimeout', 1)
  translation.duration('tool_timeout_sec', 'timeout', 1_000)
  if (translation.take('enabled') === false) translation.set('disabled', true)
  translation.take('required')
  translation.oauth({ scopes: 'scopes' }, null)
  const forwarded = translation.take('env_vars')
  if (Array.isArray(forwarded))
    translation.merge(
      'env',
      forwarded.flatMap((name) => (typeof name === 'string' ? [[name, `\${${name}:-}`]] : [])),
    )
  const named = translation.take('env_http_headers')
  if (isJsonObject(named))
    translation.merge(
      'headers',
      Object.entries(named).map(([header, name]) => [header, `\${${String(name)}:-}`]),
    )
  // Secrets fall back to environment variables.
  const bearer = translation.take('bearer_token_env_var')
  if (typeof bearer === 'string') translation.merge('headers', [['Authorization', `Bearer secret:${bearer}`]])
  for (const key of ['default_tools_approval_mode', 'tools'])
    translation.unsupported(key, 'to run tools without approval, use approval.rules.allow in config.json')
  return translation.end()
}

/** Expands `${env:NAME}` and `${file:PATH}`. */
export const fromWindsurf: Dialect = (server, context) => {
  const translation = new Translation(server)
  translation.common()
  translation.rename('disabledTools', 'exclude')
  translation.oauth({ clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' })
  translation.each((text, position) =>
    text.replace(/\$(?:\{(env|file):([^}]+)\})?/g, (found, kind?: string, value = '', at = 0) => {
      if (kind === 'env' && /^[A-Za-z_]\w*$/.test(value)) return `\${${value}}`
      if (kind !== 'file') return literal(found)
      const around = { before: text.slice(0, at), after: text.slice(at + found.length) }
      return fileSecret(translation, context, value, { position, ...around })
    }),
  )
  return translation.end()
}

/** Uses seconds, and expands no variables. In older files, `command` is an object. */
export const fromZed: Dialect = (server) => {
  const { command, source } = server
  const nested = isJsonObject(command) ? { ...command, command: command.path, path: undefined } : {}
  const translation = new Translation({ ...server, ...nested })
  if (source === 'extension' || (command === undefined && isJsonObject(server.settings)))
    translation.reject('comes from an extension of Zed, which only Zed can start')
  translation.common()
  translation.each(literal)
  translation.duration('timeout', 'timeout', 1_000)
  if (translation.take('enabled') === false) translation.set('disabled', true)
  translation.oauth({ client_id: 'clientId', client_secret: 'clientSecret' })
  for (const key of ['source', 'settings', 'remote', 'path']) translation.take(key)
  return translation.end()
}
