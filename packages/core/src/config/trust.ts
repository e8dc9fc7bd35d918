import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'

const fileName = 'trusted.json'

/** Was trust said for this project's `.curfew`? A list that cannot be read trusts nobody. */
export function isTrusted(userRoot: string, path: string): boolean {
  try {
    return trustedProjects(userRoot).includes(path)
  } catch {
    return false
  }
}

/** The real paths of the folders that are trusted. Throws if the list cannot be read. */
export function trustedProjects(userRoot: string): string[] {
  const file = join(userRoot, fileName)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw unusable(file, messageOf(error))
  }
  try {
    const { trusted } = JSON.parse(text) as { trusted: unknown }
    if (Array.isArray(trusted) && trusted.every((path) => typeof path === 'string')) return trusted
  } catch (error) {
    throw unusable(file, messageOf(error))
  }
  throw unusable(file, '"trusted" must be an array of paths')
}

/** Remembers, or forgets, that a project's files may be used. */
export function setTrust(userRoot: string, path: string, trusted: boolean): void {
  const others = trustedProjects(userRoot).filter((known) => known !== path)
  const file = join(userRoot, fileName)
  const list = trusted ? [...others, path].sort() : others
  mkdirSync(userRoot, { recursive: true, mode: 0o700 })
  const written = `${file}.${process.pid}`
  writeFileSync(written, `${JSON.stringify({ trusted: list }, null, 2)}\n`, { mode: 0o600 })
  renameSync(written, file)
}

function unusable(file: string, why: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${file}: ${why}; repair or delete it`, { field: file })
}
