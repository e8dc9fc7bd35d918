import { accessSync, constants, existsSync, lstatSync, readlinkSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path'
import { attempt } from '../errors/attempt.ts'

const isWindows = process.platform === 'win32'
/** Only an administrator could create it. */
const missingFolder = isWindows ? 'C:\\Windows\\not-found' : '/usr/bin/not-found'
/** The group that owns Homebrew's folders. Its members can become root. */
const administrators = process.platform === 'darwin' ? 80 : 0
/** As in the kernel. */
const maxLinks = 40

const workspaceFolders = new Set<string>()
const found = new Map<string, string>()

/** Programs in these folders (real paths) are not Curfew's own from now on: what runs there can replace them. */
export function excludeOwnPrograms(folders: readonly string[]): void {
  for (const folder of folders) workspaceFolders.add(folder)
  found.clear()
}

/**
 * The absolute path of a program that Curfew itself starts, such as git. The only way to find one: folders of `PATH` that are relative,
 * lead through the workspace or the current project, or that another user can change, are skipped. If it is missing, a path at which
 * there is nothing.
 */
export function ownProgram(name: string, path: string = process.env.PATH ?? ''): string {
  const key = [name, path, process.cwd()].join('\0')
  const program = found.get(key) ?? find(isWindows ? `${name}.exe` : name, path)
  found.set(key, program)
  return program
}

/** For a program of our own that starts others. */
export function ownPath(path: string = process.env.PATH ?? ''): string {
  return path.split(delimiter).filter(isUsable).join(delimiter)
}

function find(file: string, path: string): string {
  const candidates = path.split(delimiter).map((folder) => join(folder, file))
  return candidates.find((program) => isUsable(program) && isExecutable(program)) ?? join(missingFolder, file)
}

function isExecutable(path: string): boolean {
  return attempt(() => accessSync(path, constants.X_OK) === undefined, false)
}

function isUsable(path: string): boolean {
  if (!isAbsolute(path)) return false
  const folders = [...workspaceFolders, projectOf(process.cwd())].filter((folder) => folder !== '/')
  return attempt(() => stepsTo(path).every((step) => !isIn(step, folders) && isOurs(step)), false)
}

/** Every folder, link and file on the way: each could lead elsewhere later. */
function stepsTo(path: string): string[] {
  if (isWindows) return [path]
  const steps: string[] = []
  const names = path.split(sep)
  let links = 0
  let at = '/'
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const step = join(at, name)
    steps.push(step)
    const isLink = lstatSync(step).isSymbolicLink()
    if (isLink && ++links > maxLinks) throw new Error('too many links')
    const target = isLink ? readlinkSync(step) : null
    if (target !== null) names.unshift(...target.split(sep))
    if (target === null || isAbsolute(target)) at = target === null ? step : '/'
  }
  return steps
}

/**
 * False if another user owns the path or may change it. Many systems give each user a group with the same number; in a user
 * namespace, the files of root have another owner.
 */
function isOurs(path: string): boolean {
  if (isWindows) return true
  const { uid, gid, mode } = lstatSync(path)
  const root = lstatSync('/')
  if (![0, process.getuid?.(), root.uid].includes(uid)) return false
  const isOurGroup = [0, process.getuid?.(), root.gid, administrators].includes(gid)
  const isShared =
    (mode & (isOurGroup ? 0o002 : 0o022)) !== 0 &&
    (mode & (constants.S_IFMT | 0o1000)) !== (constants.S_IFDIR | 0o1000)
  return !isShared || (mode & constants.S_IFMT) === constants.S_IFLNK
}

/** Before the workspace is known. */
function projectOf(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder))
    if (['.curfew', '.git'].some((name) => existsSync(join(folder, name)))) return folder
  return from
}

function isIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(folder + sep))
}
