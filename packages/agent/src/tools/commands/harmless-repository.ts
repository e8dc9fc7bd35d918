import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readSmallFileIfAny } from '@curfew/core/internal'

/** The files that `git init`, `git clone` and commits create in `.git`. Not included: `commondir`, `modules`, `config.worktree`, an unfinished rebase. */
const expected =
  /^(HEAD|config|description|hooks|info|objects|refs|logs|index|packed-refs|branches|shallow|ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG|[\w.-]+\.(lock|pid))$/
const maxConfigBytes = 65_536

/** Settings that name no program and no other file. Not included: those of partial clones, which use the network for any command. */
const harmlessKeys =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|remote\.(url|fetch|tagopt)|branch\.(remote|merge|rebase)|user\.(name|email)|extensions\.objectformat)$/

/** True if nothing in a new `.git` folder makes git run a program or write elsewhere. Unknown files are not harmless. */
export function isHarmlessRepository(folder: string): boolean {
  try {
    if (!lstatSync(folder).isDirectory() || !readdirSync(folder).every((name) => expected.test(name)))
      return false
    const isHarmless = readdirSync(folder, { recursive: true, withFileTypes: true }).every((entry) =>
      isHarmlessEntry(entry, relative(folder, entry.parentPath)),
    )
    return isHarmless && isHarmlessConfig(join(folder, 'config'))
  } catch {
    return false
  }
}

function isHarmlessEntry(entry: Dirent, within: string): boolean {
  const path = join(entry.parentPath, entry.name)
  if (entry.isDirectory()) return true
  if (entry.isSymbolicLink())
    return within === '' && entry.name === 'HEAD' && /^refs\/heads\/[\w-]+$/.test(readlinkSync(path))
  if (!entry.isFile() || (within === 'hooks' && !entry.name.endsWith('.sample'))) return false
  // Other files are changed through another name. Git never changes objects, and links them while it creates them.
  return within.startsWith('objects') || lstatSync(path).nlink === 1
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
    return harmlessKeys.test(`${section}.${key}`.toLowerCase()) && !/^-|::/.test(value!)
  })
}
