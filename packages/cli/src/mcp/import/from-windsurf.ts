import type { Dialect } from './dialects.ts'
import { fileSecret } from './file-secret.ts'
import { literal, Translation } from './translation.ts'

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
