import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf, parseJson } from '@curfew/core/internal'
import { replaceFile } from '../files/replace-file.ts'
import { withLock } from '../files/with-lock.ts'

const fileName = 'trusted.json'

/** The real paths of the folders that are trusted. Throws if the list cannot be read. */
export function trustedProjects(userRoot: string): string[] {
  const file = join(userRoot, fileName)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw unusable(file, `cannot be read: ${messageOf(error)}`)
  }
  try {
    const { trusted } = Object(parseJson(text)) as { trusted: unknown }
    if (Array.isArray(trusted) && trusted.every((path) => typeof path === 'string')) return trusted
  } catch (error) {
    throw unusable(file, `is not JSON: ${messageOf(error)}; repair or delete it`)
  }
  throw unusable(file, '"trusted" must be an array of paths; repair or delete it')
}

/** Remembers, or forgets, that a project's files may be used. False if that was known already. */
export async function setTrust(userRoot: string, path: string, trusted: boolean): Promise<boolean> {
  const file = join(userRoot, fileName)
  try {
    await mkdir(userRoot, { recursive: true, mode: 0o700 })
    return await withLock(file, async () => {
      const known = trustedProjects(userRoot)
      if (known.includes(path) === trusted) return false
      const list = trusted ? [...known, path].sort() : known.filter((other) => other !== path)
      await replaceFile(file, `${JSON.stringify({ trusted: list }, null, 2)}\n`)
      return true
    })
  } catch (error) {
    if (error instanceof CurfewError) throw error
    throw unusable(file, `cannot be written: ${messageOf(error)}; CURFEW_TRUST=1 trusts for one run`)
  }
}

function unusable(file: string, why: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${file}: ${why}`, { field: file })
}
