import type { Dialect } from './dialects.ts'
import { isRecord } from './is-record.ts'
import { literal, Translation } from './translation.ts'

/** Uses seconds, and expands no variables. In older files, `command` is an object. */
export const fromZed: Dialect = (server) => {
  const { command, source } = server
  const nested = isRecord(command) ? { ...command, command: command.path, path: undefined } : {}
  const translation = new Translation({ ...server, ...nested })
  if (source === 'extension' || (command === undefined && isRecord(server.settings)))
    translation.reject('comes from an extension of Zed, which only Zed can start')
  translation.common()
  translation.each(literal)
  translation.duration('timeout', 'timeout', 1_000)
  if (translation.take('enabled') === false) translation.set('disabled', true)
  translation.oauth({ client_id: 'clientId', client_secret: 'clientSecret' })
  for (const key of ['source', 'settings', 'remote', 'path']) translation.take(key)
  return translation.end()
}
