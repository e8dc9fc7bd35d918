import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { CurfewError } from '@curfew/core'
import type { SensitiveFiles } from './sensitive-files.ts'

export interface SandboxPlan {
  readonly offline: boolean
  /** What can be changed. */
  readonly folders: readonly string[]
  readonly hiddenFolders: readonly string[]
  readonly readableFolders: readonly string[]
  readonly files: SensitiveFiles
}

/** The options of bubblewrap, which it applies in order, and the empty folders that it creates as mount points. */
export function sandboxArguments(plan: SandboxPlan): { options: string[]; created: string[] } {
  const { folders, files } = plan
  if (folders.includes('/')) throw failure('the workspace is the whole file system; use a folder')
  const hidden = [...plan.hiddenFolders, ...secretPaths.map((name) => join(homedir(), name))].flatMap(realOf)
  const isOutside = (path: string): boolean => folders.some((folder) => isWithin(folder, path))
  const git = folders.map((folder) => protectGit(join(folder, '.git')))
  const own = folders.map((folder) => join(folder, '.curfew'))
  const created = own.filter(isMissing)
  const mounts = [
    // A folder of the workspace may be inside of a hidden one, or the other way round.
    ...hidden.filter(isOutside).flatMap(hide),
    ...folders.flatMap((folder) => ['--bind', folder, folder]),
    ...hidden.filter((path) => !isOutside(path)).flatMap(hide),
    ...plan.readableFolders.flatMap(realOf).flatMap((path) => ['--ro-bind', path, path]),
    ...git.flat(),
    ...own.flatMap((path) => (created.includes(path) ? hide(path) : ['--ro-bind', path, path])),
    ...foldersAround(files.protected, folders).flatMap((path) => ['--bind-try', path, path]),
    ...files.protected.flatMap((path) => ['--ro-bind-try', path, path]),
    ...files.secret.flatMap(lock),
  ]
  const emptied = mounts.filter((_path, index) => mounts[index - 1] === '--tmpfs')
  // Last, because bubblewrap creates mount points inside of hidden folders.
  const readOnly = emptied.flatMap((path) => ['--remount-ro', path])
  return { options: [...isolationOptions(plan.offline), ...mounts, ...readOnly], created }
}

/** The whole system, read-only, without its sockets, other processes and temporary files. */
export function isolationOptions(offline: boolean): string[] {
  return [
    ...['--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(offline ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...temporaryFolders.filter(isRealFolder).flatMap((path) => ['--tmpfs', path]),
    ...neededInRun.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--setenv', 'TMPDIR', '/tmp', '--unsetenv', 'XDG_RUNTIME_DIR'],
  ]
}

/** Sockets in /run lead out of the sandbox, even if they are read-only: those of Docker, D-Bus and agents for keys. */
const temporaryFolders = ['/tmp', '/var/tmp', '/run', '/var/run']
/** Name resolution, and the programs of NixOS. */
const neededInRun = [
  '/run/systemd/resolve',
  '/run/resolvconf',
  '/run/NetworkManager/resolv.conf',
  '/run/current-system',
  '/run/opengl-driver',
]

/** In the home folder: keys and passwords of other programs. */
const secretPaths: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/rclone',
  '.config/sops',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.password-store',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.pgpass',
  '.my.cnf',
  '.vault-token',
  '.terraform.d/credentials.tfrc.json',
  '.Xauthority',
  '.mozilla',
  '.thunderbird',
  '.config/google-chrome',
  '.config/chromium',
  '.bash_history',
  '.zsh_history',
  '.claude.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
]

/** A folder becomes empty and read-only, and a file empty: programs fail if their own files cannot be opened. */
function hide(path: string): string[] {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
  return isFile ? ['--dev-bind', '/dev/null', path] : ['--tmpfs', path]
}

/** A file of the workspace cannot be opened: a model would otherwise believe that it is empty. */
function lock(path: string): string[] {
  const [option = '', ...rest] = hide(path)
  return [option === '--dev-bind' ? '--ro-bind' : option, ...rest]
}

/**
 * Commits are possible, but hooks and the configuration, which can name commands, are read-only. `.git` is a mount point itself,
 * because otherwise it could be renamed and replaced by a copy.
 */
function protectGit(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  if (stats.isSymbolicLink()) throw cannotProtect(path)
  if (!stats.isDirectory()) return ['--ro-bind', path, path]
  const inside = ['hooks', 'config', 'config.worktree', 'modules'].map((name) => join(path, name))
  // A link could be replaced.
  if (inside.some(isLink)) return ['--ro-bind', path, path]
  const [hooks = '', ...others] = inside
  const hooksOptions = isMissing(hooks) ? hide(hooks) : ['--ro-bind', hooks, hooks]
  const existing = others.filter((name) => !isMissing(name))
  return ['--bind', path, path, ...hooksOptions, ...existing.flatMap((name) => ['--ro-bind', name, name])]
}

/** The folders between the workspace and its protected files, outermost first: mount points cannot be renamed and replaced. */
function foldersAround(paths: readonly string[], folders: readonly string[]): string[] {
  const found = new Set<string>()
  for (const path of paths)
    for (let folder = dirname(path); !folders.includes(folder) && folder !== '/'; folder = dirname(folder))
      found.add(folder)
  return [...found].toSorted((a, b) => a.length - b.length)
}

export function cannotProtect(path: string): CurfewError {
  return failure(`${path} is a link, which cannot be protected; replace it by a folder`)
}

function failure(message: string): CurfewError {
  return new CurfewError('TOOL_FAILED', message)
}

function realOf(path: string): string[] {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}

function isMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** /var/run is usually a link. */
function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep)
}
