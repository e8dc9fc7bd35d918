import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { MovedError } from './pin-folder.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the limit on the size of files is exceeded',
  ENAMETOOLONG: 'the name is too long',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ELOOP: 'it was replaced by a link in the meantime',
  EEXIST: 'it was created by someone else in the meantime',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reports an error',
}

/** What failed, for a model. `after` states what follows from it, such as that the file is unchanged. */
export function fileError(error: unknown, shown: string, after?: string): CurfewError {
  if (error instanceof CurfewError) return error
  const consequence = after === undefined ? '' : `; ${after}`
  const { code = '' } = error as NodeJS.ErrnoException
  const reason = error instanceof MovedError ? error.message : (reasons[code] ?? messageOf(error))
  const message = code === 'ENOENT' || error instanceof MovedError ? reason : `${reason} (${code})`
  const separator = code === 'ENOENT' ? ' ' : ': '
  return new CurfewError('TOOL_FAILED', `${shown}${separator}${message}${consequence}`, {
    cause: error,
    hadNoEffect: true,
  })
}

/** A call that cannot work, and changed nothing. */
export function rejected(message: string): CurfewError {
  return new CurfewError('TOOL_FAILED', message, { hadNoEffect: true })
}
