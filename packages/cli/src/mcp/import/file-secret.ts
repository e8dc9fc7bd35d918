import { homedir } from 'node:os'
import { basename, dirname, extname, resolve } from 'node:path'
import { isSecretName } from '@curfew/core/internal'
import { secretNameFor } from '../plain-keys.ts'
import type { ServerContext } from './dialects.ts'
import type { Position, Translation } from './translation.ts'

/**
 * Replaces a reference to the contents of a file (`{file:~/key}`) with a secret. The file is not read: it may be anywhere, and the
 * configuration may come from a repository.
 */
export function fileSecret(
  translation: Translation,
  { name: server, file }: Pick<ServerContext, 'name' | 'file'>,
  path: string,
  {
    position,
    before,
    after,
  }: { readonly position: Position; readonly before: string; readonly after: string },
): string {
  const { field, key } = position
  const isWhole = before === '' && after === ''
  const name =
    field === 'env' && isWhole && key !== null && isSecretName(key)
      ? key
      : secretNameFor(server, basename(path, extname(path)).replace(/^\.+/, '') || 'FILE')
  const full = resolve(
    dirname(file),
    path.replace(/^~(?=[\\/]|$)/, () => homedir()),
  )
  if (field === 'command' || field === 'cwd')
    translation.reject(`${field}: the contents of a file are not supported here; write the value instead`)
  // The path becomes part of a command that a person copies.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path))
    translation.reject(`${field}: the path of a file contains control characters or invisible ones`)
  return translation.secret({ name, origin: `the contents of ${path}`, file: full }, position, before, after)
}
