import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { readSmallFileIfAny } from '@curfew/core/internal'
import { maxIndexBytes, unknownInGit } from './unknown-in-git.ts'

const maxConfigBytes = 65_536

/** Settings that name no program and no other file. Not included: those of partial clones, which use the network for any command. */
const harmlessKeys =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|remote\.(url|fetch|tagopt)|branch\.(remote|merge|rebase)|user\.(name|email)|extensions\.objectformat)$/

const objectFormat =
  /^[ \t]*\[extensions\].*\n(?:(?![ \t]*\[).*\n)*?[ \t]*objectformat[ \t]*=[ \t]*"?sha256/im

/** True if nothing in a new `.git` folder makes git run a program or write elsewhere. Unknown files are not harmless. */
export function isHarmlessRepository(folder: string): boolean {
  try {
    const config = join(folder, 'config')
    if (!lstatSync(folder).isDirectory() || !isHarmlessConfig(config)) return false
    const isForeign = (path: string): boolean => {
      // A file with such a name may have instructions: `refs/heads/a/AGENTS.md`.
      if (/^(logs\/)?refs\/.*\.(?!x\b|lock$)[a-z]/i.test(path)) return true
      // Other files are changed through another name. Git never changes objects, and links them while it creates them.
      const stats = lstatSync(join(folder, path), { throwIfNoEntry: false })
      return stats?.isFile() === true && stats.nlink > 1 && !path.startsWith('objects/')
    }
    // With these extensions, git may read the entries at other places.
    const index = readSmallFileIfAny(join(folder, 'index'), maxIndexBytes)
    if (index?.includes('IEOT') || index?.includes('EOIE')) return false
    const hashBytes = hashBytesOf(readSmallFileIfAny(config, maxConfigBytes))
    return unknownInGit(folder, hashBytes, (path) => (isForeign(path) ? false : null)).length === 0
  } catch {
    return false
  }
}

/** The length of an object's name in a repository with this configuration. */
export function hashBytesOf(config: Buffer | null): number {
  return objectFormat.test(config?.toString('latin1') ?? '') ? 32 : 20
}

/** Only in the form that git itself writes, so that git reads the same. */
function isHarmlessConfig(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return true
  if (!stats.isFile()) return false
  const text = readSmallFileIfAny(path, maxConfigBytes)?.toString()
  if (text === undefined) return false
  let section = ''
  return text.split('\n').every((line) => {
    const [, name] = /^\[(\w+)(?: "[\w./@+-]+")?\]$/.exec(line) ?? []
    section = name ?? section
    const [, key, value] = /^\t(\w+) = ([^\\"\p{Cc}]*)$/u.exec(line) ?? []
    if (key === undefined) return name !== undefined || line === ''
    return harmlessKeys.test(`${section}.${key}`.toLowerCase()) && !/^\s*-|::/.test(value!)
  })
}
