import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { findProjectGit, type ProjectGit, readSmallFileIfAny } from '@curfew/core/internal'
import { realPath } from './real-path.ts'

const maxConfigBytes = 1 << 20
const maxFiles = 50

interface Targets {
  /** The configuration files, with their versions. */
  readonly files: ReadonlyMap<string, string>
  readonly paths: ReadonlySet<string>
  /** Arguments of commands, which count only if they are files: `sh script`. */
  readonly words: ReadonlySet<string>
}

/**
 * The files and folders of a workspace that git's configuration names, such as `core.hooksPath`, `include.path` or the program of a
 * filter. Any setting that may be a path or a command counts, because more of them appear with each version of git.
 */
export class GitConfiguredFiles {
  readonly #folders: readonly string[]
  readonly #known = new Map<string, Targets>()

  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /**
   * Returns why the user has to approve a change of this file; `null` if git's configuration names neither it nor a folder around it.
   */
  why(path: string, willBeFile = false): string | null {
    for (const from of new Set([dirname(path), ...this.#folders])) {
      const git = findProjectGit(from)
      if (git === null) continue
      const { paths, words } = this.#targetsOf(git)
      for (let at = path; at !== dirname(at); at = dirname(at))
        if (paths.has(at) || (at === path && words.has(at) && (willBeFile || isExistingFile(at))))
          return "git's configuration names it, so git runs or follows it"
    }
    return null
  }

  /** Everything that the configuration of the repositories around these folders names, whether it exists or not. */
  paths(folders: readonly string[]): readonly string[] {
    return folders.flatMap((folder) => {
      const git = findProjectGit(folder)
      if (git === null) return []
      const { paths, words } = this.#targetsOf(git)
      return [...paths, ...[...words].filter(isExistingFile)]
    })
  }

  #targetsOf(git: ProjectGit): Targets {
    const known = this.#known.get(git.top)
    if (known !== undefined && [...known.files].every(([file, version]) => versionOf(file) === version))
      return known
    const files = new Map<string, string>()
    const paths = new Set<string>()
    const words = new Set<string>()
    const gitFolder = dirname(git.index)
    const own = [join(git.common, 'config'), join(gitFolder, 'config.worktree')]
    const pending = [...own, ...userFiles()]
    for (let file = pending.shift(); file !== undefined && files.size < maxFiles; file = pending.shift()) {
      if (files.has(file)) continue
      files.set(file, versionOf(file))
      if (!own.includes(file)) this.#add(paths, file)
      for (const { section, key, value } of readGitConfig(file)) {
        if (/^include(if)?$/.test(section)) pending.push(resolve(dirname(file), expand(value)))
        for (const [index, name] of namesIn(section, key, value).entries()) {
          const isPath = /[/.]/.test(name) || /(path|file)$/.test(key)
          // Without arguments, a name is a program in PATH, or a choice such as `auto`.
          if (!isPath && index < 2) continue
          for (const base of [git.top, gitFolder, dirname(file)])
            this.#add(isPath ? paths : words, resolve(base, expand(name)))
        }
      }
    }
    const targets = { files, paths, words }
    this.#known.set(git.top, targets)
    return targets
  }

  #add(paths: Set<string>, target: string): void {
    const real = realPath(target)
    // Not the workspace itself, which contains everything.
    for (const path of [target, 'realPath' in real ? real.realPath : target])
      if (this.#folders.some((folder) => path.startsWith(folder + sep)) && !this.#folders.includes(path))
        paths.add(path)
  }
}

/** They name no programs, but branches, addresses and the folders of submodules. */
const harmlessSections: ReadonlySet<string> = new Set([
  'branch',
  'remote',
  'submodule',
  'url',
  'user',
  'author',
  'committer',
])

/** The value, and its words. */
function namesIn(section: string, key: string, value: string): readonly string[] {
  if (harmlessSections.has(section) || key === 'worktree') return []
  if (section === 'alias' && !value.startsWith('!')) return []
  // A substitution, such as `$(git rev-parse --show-toplevel)/x`, usually is the root of the repository.
  const words = value
    .replace(/(\$\w+|\$\{[^}]{0,99}\}|\$\([^)]{0,99}\)|`[^`]{0,99}`)["']?\/+/g, '$1 ./')
    .split(/[\s;|&()<>'"`=!]+/)
    .filter(Boolean)
  return value === '' ? [] : [value, ...words]
}

interface Setting {
  readonly section: string
  readonly key: string
  readonly value: string
}

/** Names are in lower case, sections without their subsections. Empty if the file cannot be read. */
export function readGitConfig(file: string): Setting[] {
  const text = readSmallFileIfAny(file, maxConfigBytes)?.toString() ?? ''
  const settings: Setting[] = []
  let section = ''
  for (const line of text
    .replace(/^\ufeff/, '')
    .replace(/\\\r?\n/g, '')
    .split(/\r?\n/)) {
    const [match, header, key, value = ''] =
      /^\s*(?:\[\s*([^\]\s".]+)(?:"(?:\\.|[^"\\])*"|[^\]"])*\])?\s*([a-z][\w-]*)?\s*(?:=\s*(.*)|[#;].*)?$/i.exec(
        line,
      ) ?? []
    // A line that cannot be read may be a header, so the settings below it may be in any section.
    if (match === undefined || header !== undefined) section = header?.toLowerCase() ?? ''
    if (key !== undefined) settings.push({ section, key: key.toLowerCase(), value: unquote(value) })
  }
  return settings
}

function unquote(value: string): string {
  const [text = ''] = /^(?:"(?:\\.|[^"\\])*"?|\\.|[^"\\#;])*/.exec(value) ?? []
  return text.trim().replace(/\\(.)|"/g, '$1')
}

function expand(path: string): string {
  return path.replace(/^~(?=\/|$)/, homedir()).replace(/^%\(prefix\)\//, '/')
}

function userFiles(): string[] {
  const { XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = process.env
  const config = XDG_CONFIG_HOME || join(homedir(), '.config')
  const named = [GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM].filter((file) => file !== undefined)
  return [...named, join(homedir(), '.gitconfig'), join(config, 'git', 'config'), '/etc/gitconfig']
}

function isExistingFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function versionOf(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join()
  } catch {
    return ''
  }
}
