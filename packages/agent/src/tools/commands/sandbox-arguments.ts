import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { CurfewError } from '@curfew/core'
import { attempt, words } from '@curfew/core/internal'
import { realPath } from '../../workspace/real-path.ts'
import { isNotUtf8, type SensitiveFiles } from './scan-workspace.ts'

/** More arguments would not fit into a command line. */
const maxFound = 2_000

export interface SandboxPlan {
  readonly offline: boolean
  /** What can be changed. */
  readonly folders: readonly string[]
  readonly hiddenFolders: readonly string[]
  readonly readableFolders: readonly string[]
  readonly files: SensitiveFiles
}

export interface SandboxArguments {
  /** Arguments of bubblewrap, which applies them in order. */
  readonly options: readonly string[]
  /** Mount points that protect something only while they exist. */
  readonly mountPoints: readonly string[]
  /** The arguments before the command line that runs in the sandbox. */
  readonly start: readonly string[]
}

export function sandboxArguments(plan: SandboxPlan): SandboxArguments {
  const { folders, files } = plan
  const whole = folders.find((folder) => folder === '/' || files.git.includes(join(folder, 'HEAD')))
  if (whole !== undefined)
    throw failure(
      `the workspace is ${whole === '/' ? 'the whole file system' : 'a repository without files'}; use a folder`,
    )
  rejectLinks(files, folders)
  const unnamed = files.protected.find(isNotUtf8)
  if (unnamed !== undefined)
    throw failure(`${unnamed} has a name that is not valid UTF-8, so it cannot be protected; rename it`)
  if (files.protected.length + files.git.length + files.secret.length > maxFound)
    throw failure(`the workspace has more than ${maxFound} files and folders to hide or protect`)
  const isInside = (path: string): boolean => folders.some((folder) => isWithin(path, folder))
  const secret = files.secret.filter(isInside)
  const listed = [...plan.hiddenFolders, ...secretPaths.map((name) => join(homedir(), name))].flatMap(
    placesOf,
  )
  const hidden = [...new Set([...listed, ...files.secret.filter((path) => !isInside(path))])]
  const isOutside = (path: string): boolean => !isInside(path) || folders.includes(path)
  const hiddenInside = hidden.filter((path) => !isOutside(path) && isMountPoint(path))
  const readOnly = [...files.protected, ...files.git]
  // Commands could replace the others, which are inside of these.
  const outer = folders.filter((folder) => !folders.some((one) => one !== folder && isWithin(folder, one)))
  const mountPoints = [...readOnly, ...secret, ...hiddenInside]
  // A file with secrets may not be recognized any more after a folder around it was renamed.
  const around = foldersAround(mountPoints, outer)
  const mounts = [
    // A folder of the workspace may be inside of a hidden one, or the other way round.
    ...hideOutside(hidden.filter(isOutside)),
    ...outer.flatMap((folder) => ['--bind', folder, folder]),
    ...around.flatMap((path) => ['--bind-try', path, path]),
    ...readOnly.flatMap((path) => ['--ro-bind-try', path, path]),
    // After what is around them, which would show them again.
    ...hiddenInside.flatMap(hide),
    ...plan.readableFolders.flatMap(realOf).flatMap((path) => ['--ro-bind', path, path]),
    ...secret.flatMap(lock),
  ]
  const emptied = mounts.filter((_path, index) => mounts[index - 1] === '--tmpfs')
  // Last, because bubblewrap creates mount points inside of hidden folders.
  const remounted = emptied.flatMap((path) => ['--remount-ro', path])
  return {
    options: [...isolationOptions(plan.offline), ...mounts, ...remounted],
    mountPoints,
    start: [
      ...['/bin/sh', '-c', startIfMounted, 'sh'],
      ...[...around, ...readOnly].map((path) => `own ${escapeMountPoint(path)}`),
      ...[...secret, ...hiddenInside].map((path) => `any ${escapeMountPoint(path)}`),
      '--',
    ],
  }
}

/**
 * bubblewrap follows links, first those in what it mounts, and later those in where. If another command replaces a folder by one after the
 * workspace was scanned, the mounts are elsewhere, or show something else, and what is there could be changed. `own`: what is mounted
 * is what was there before, at the same place in the file system of the mount around it. An open folder would lead out of the sandbox; not
 * every shell can close a descriptor above 9, but this process passes none.
 */
const startIfMounted = `
found=$(while read -r id parent device root path _; do
  eval "path_$id=\\$path place_$id=\\$device:\\\${root%/}; around=\\$path_$parent place=\\$place_$parent"
  printf 'any %s\n' "$path"
  [ "$device:\${root%/}" = "$place\${path#"\${around%/}"}" ] && printf 'own %s\n' "$path"
done < /proc/self/mountinfo)
while [ "$1" != -- ]; do
  case "
$found
" in
    *"
$1
"*) shift ;;
    *) printf 'bwrap: %s was replaced while the sandbox was set up\n' "\${1#* }" >&2; exit 1 ;;
  esac
done
shift
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-
for open in /proc/self/fd/*; do
  [ "\${open##*/}" -le 2 ] || [ "\${open##*/}" -eq 9 ] || ! [ -L "$open" ] || [ "$open" -ef /dev/null ] && continue
  printf 'bwrap: descriptor %s is open\n' "\${open##*/}" >&2; exit 1
done
echo >&9 && exec "$@" 9>&-`

/** As in /proc/self/mountinfo. */
function escapeMountPoint(path: string): string {
  return path.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)
}

/** The whole system, read-only, without its sockets, other processes and temporary files. */
export function isolationOptions(offline: boolean): string[] {
  return [
    // With a user namespace of its own, a command could rename what is mounted.
    ...[
      '--unshare-user',
      '--disable-userns',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
    ],
    ...(offline ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    // For root, /proc/sys would change the whole system.
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc'],
    ...temporaryFolders.filter(isRealFolder).flatMap((path) => ['--tmpfs', path]),
    ...neededInRun.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--setenv', 'TMPDIR', '/tmp', '--unsetenv', 'XDG_RUNTIME_DIR'],
    // `git status` does not try to update the index.
    ...['--setenv', 'GIT_OPTIONAL_LOCKS', '0'],
  ]
}

/** Sockets in /run lead out of the sandbox, even if they are read-only: those of Docker, D-Bus and agents for keys. */
const temporaryFolders = ['/tmp', '/var/tmp', '/run', '/var/run']
/** Name resolution, and the programs of NixOS. No folders in which a service may have a socket: systemd-resolved would resolve names offline. */
const neededInRun = [
  '/run/systemd/resolve/resolv.conf',
  '/run/systemd/resolve/stub-resolv.conf',
  '/run/resolvconf/resolv.conf',
  '/run/NetworkManager/resolv.conf',
  '/run/current-system',
  '/run/opengl-driver',
]

/** In the home folder: keys and passwords of other programs. */
const secretPaths: readonly string[] = words(`
  .ssh .gnupg .aws .azure .kube .docker .config/gcloud .config/gh .config/glab-cli .config/hub .config/op
  .config/rclone .config/sops .local/share/keyrings .local/share/kwalletd .password-store .netrc
  .git-credentials .config/git/credentials .npmrc .yarnrc.yml .pypirc .cargo/credentials.toml
  .gem/credentials .m2/settings.xml .pgpass .my.cnf .vault-token .terraform.d/credentials.tfrc.json
  .Xauthority .mozilla .thunderbird .config/google-chrome .config/chromium .bash_history .zsh_history
  .claude.json .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json
`)

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
 * Hides files outside of the workspace. A mount on a file ends when the file is replaced, as most programs do that save one. So the folder
 * around it, or the nearest one that exists, is an empty one, with mounts of everything else in it: what appears later is not visible either.
 */
function hideOutside(hidden: readonly string[]): string[] {
  const around = [...new Set(hidden.map(folderAround))]
    .filter(
      (folder) => folder !== '/' && ![...hidden, ...temporaryFolders].some((one) => isWithin(folder, one)),
    )
    .toSorted((a, b) => a.length - b.length)
  return [
    ...around.flatMap((folder) => [
      '--tmpfs',
      folder,
      ...entriesOf(folder)
        .filter((path) => !hidden.includes(path))
        .flatMap(show),
    ]),
    ...hidden.filter(isMountPoint).flatMap(hide),
  ]
}

/** An entry of a folder that has been emptied. */
function show(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isSocket() || stats.isFIFO()) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path]
}

/** A link can be replaced by a file, so this is where it is, and what it leads to. Neither has to exist. */
function placesOf(path: string): string[] {
  const [folder, target] = [dirname(path), path].map(realPath)
  return [
    ...('realPath' in folder! ? [join(folder.realPath, basename(path))] : []),
    ...('realPath' in target! ? [target.realPath] : []),
  ]
}

function folderAround(path: string): string {
  const folder = dirname(path)
  return isRealFolder(folder) ? folder : folderAround(folder)
}

function isMountPoint(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false
}

/** Links cannot be mount points. What others lead to is protected instead, and they are restored. */
function rejectLinks({ links }: SensitiveFiles, folders: readonly string[]): void {
  for (const link of links) {
    const isEssential = ['.git', '.curfew'].includes(basename(link).toLowerCase())
    const [target = link] = realOf(link)
    if (isEssential || folders.some((folder) => isWithin(folder, target)))
      throw failure(`${link} is a link, which cannot be protected; replace it by a folder`)
  }
}

/** The folders between the workspace and its protected files, outermost first: mount points cannot be renamed and replaced. */
function foldersAround(paths: readonly string[], folders: readonly string[]): string[] {
  const found = new Set<string>()
  for (const path of paths)
    for (let folder = dirname(path); !folders.includes(folder) && folder !== '/'; folder = dirname(folder))
      found.add(folder)
  return [...found].toSorted((a, b) => a.length - b.length)
}

function failure(message: string): CurfewError {
  return new CurfewError('TOOL_FAILED', message)
}

function realOf(path: string): string[] {
  return attempt(() => [realpathSync(path)], [])
}

function entriesOf(folder: string): string[] {
  return attempt(() => readdirSync(folder), []).map((name) => join(folder, name))
}

/** /var/run is usually a link. */
function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep)
}
