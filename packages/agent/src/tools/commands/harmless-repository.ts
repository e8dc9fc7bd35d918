import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readSmallFileIfAny } from '@curfew/core/internal'

/** The files that `git init`, `git clone` and commits create in `.git`. Not included: `commondir`, `modules`, `config.worktree`, an unfinished rebase. */
const expected =
  /^(HEAD|config|description|hooks|info|objects|refs|logs|index|packed-refs|branches|shallow|ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG|[\w.-]+\.(lock|pid))$/
const maxConfigBytes = 65_536

/** Settings that name no program and no other file. */
const harmlessKeys =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|remote\.(url|fetch|tagopt|partialclonefilter|promisor)|branch\.(remote|merge|rebase)|user\.(name|email)|extensions\.(objectformat|partialclone))$/

/** True if nothing in a new `.git` folder makes git run a program. Unknown files are not harmless. */
export function isHarmlessRepository(folder: string): boolean {
  try {
    if (!lstatSync(folder).isDirectory()) return false
    const entries = readdirSync(folder, { withFileTypes: true })
    if (
      !entries.every(
        (entry) => expected.test(entry.name) && (entry.name === 'HEAD' || !entry.isSymbolicLink()),
      )
    )
      return false
    const hooks = entries.some(({ name }) => name === 'hooks') ? readdirSync(join(folder, 'hooks')) : []
    if (!hooks.every((name) => name.endsWith('.sample'))) return false
    return isHarmlessConfig(join(folder, 'config'))
  } catch {
    return false
  }
}

/** Only in the form that git itself writes, so that git reads the same. */
function isHarmlessConfig(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return true
  // It could be changed through another hard link.
  if (!stats.isFile() || stats.nlink > 1) return false
  const text = readSmallFileIfAny(path, maxConfigBytes)?.toString()
  if (text === undefined) return false
  let section = ''
  return text.split('\n').every((line) => {
    const [, name] = /^\[(\w+)(?: "[\w./@+-]+")?\]$/.exec(line) ?? []
    section = name ?? section
    const [, key, value] = /^\t(\w+) = ([^\\"\p{Cc}]*)$/u.exec(line) ?? []
    if (key === undefined) return name !== undefined || line === ''
    return harmlessKeys.test(`${section}.${key}`.toLowerCase()) && !/^-|::/.test(value!)
  })
}
