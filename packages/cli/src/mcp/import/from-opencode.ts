import { isAbsolute } from 'node:path'
import type { Dialect, ServerContext } from './dialects.ts'
import { fileSecret } from './file-secret.ts'
import { isRecord } from './is-record.ts'
import { literal, Translation } from './translation.ts'

/** Uses milliseconds, `{env:NAME}` and `{file:PATH}`. The command is an array. */
export const fromOpencode: Dialect = (server, context) => {
  const { timeout, oauth, enabled } = server
  const translation = new Translation({
    ...server,
    ...(isRecord(timeout) ? { timeout: timeout.request, startTimeout: timeout.startup } : {}),
    ...(isRecord(oauth) ? { oauth: { ...oauth, scopes: scopesOf(oauth.scope) } } : {}),
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
