import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt, findProjectGit, messageOf, readSmallFileIfAny } from '@curfew/core/internal'
import type { GitWrite } from './git-write.ts'
import { hashBytesOf } from './harmless-repository.ts'
import { quarantine } from './quarantine.ts'
import { unknownInGit } from './unknown-in-git.ts'

/** In the table of what git stores, but no command of git that runs with approval creates or changes it, except for the configuration. */
const readOnly = /^(config|description|hooks|info|branches)$/
/** Git replaces or removes them, which mounts would prevent: what is in them decides. */
const replaced = /^(MERGE_RR|index|sharedindex\..*|sequencer\/opts)$/
/** They record which branch follows which. */
const changesConfig = /^(branch|checkout|switch)$/
/** As git writes it. */
const branchSettings =
  /^\[branch "[^"\\\n]*"\]\n(?:\t(?:remote|merge|rebase|pushremote|description) = [^\\"\n]*\n)*/gim
const maxBytes = 1 << 20

/** Before the command, as it is recorded. */
export interface GitState {
  readonly command: string
  readonly folders: readonly {
    readonly path: string
    readonly config: string | null
    readonly hashBytes: number
    readonly fixed: readonly (readonly [name: string, content: string])[]
  }[]
  /** The protected files of the workspace. */
  readonly contents: readonly (readonly [path: string, content: string])[]
}

/** Throws if the repository cannot be read. */
export function readGitState({ args, repository }: GitWrite, protectedFiles: readonly string[]): GitState {
  const [command = ''] = args
  // The shared folder of a worktree comes first, because the other one is inside it.
  const paths = repository === null ? [] : foldersOf(repository)
  const hashBytes = hashBytesOf(paths[0] === undefined ? null : configOf(paths[0]))
  const folders = paths.map((path) => {
    const config = configOf(path)
    const fixed = fixedIn(path, hashBytes, command)
    return { path, config: config?.toString('latin1') ?? null, hashBytes, fixed }
  })
  return { command, folders, contents: protectedFiles.map((path) => [path, contentOf(path)]) }
}

/** Lets an approved command of git change its repository, but not what git runs there: a hook may run what a model wrote. */
export class RepositoryGuard {
  readonly state: GitState

  constructor(state: GitState) {
    this.state = state
  }

  /** Arguments of bubblewrap, after all others. */
  get options(): string[] {
    const { command, folders } = this.state
    const isWritable = (name: string): boolean => name === 'config' && changesConfig.test(command)
    return folders.flatMap(({ path, fixed }) => [
      ...['--bind', path, path],
      ...fixed
        .filter(([name, content]) => !/^link /.test(content) && !replaced.test(name) && !isWritable(name))
        .flatMap(([name]) => ['--ro-bind', join(path, name), join(path, name)]),
    ])
  }

  /** The files of the workspace that git may write, because a branch may contain others, but that have permissions. */
  changed(): readonly string[] {
    return this.state.contents.filter(([path, content]) => contentOf(path) !== content).map(([path]) => path)
  }

  /** Moves away what appeared, and restores what changed. Adds notes for the model, and why something could not be done. */
  async finish(quarantineFolder: string, notes: string[], problems: string[]): Promise<void> {
    const { command, folders } = this.state
    for (const { path, config, hashBytes, fixed } of folders) {
      const before = new Map(fixed)
      for (const [name, content] of fixedIn(path, hashBytes, command)) {
        const file = join(path, name)
        const isSame = name === 'config' ? isSameConfig(config, file) : before.get(name) === content
        if (isSame) continue
        try {
          const to = await quarantine(file, quarantineFolder)
          const old = before.get(name) ?? ''
          if (old.startsWith('link ')) symlinkSync(old.slice(5), file)
          if (name === 'config' && config !== null)
            writeFileSync(file, config, { encoding: 'latin1', flag: 'wx' })
          notes.push(
            `${file} was changed while git ran, so that git may run a program; it was moved to ${to}`,
          )
        } catch (error) {
          problems.push(`${file} was changed while git ran, and could not be restored: ${messageOf(error)}`)
        }
      }
    }
  }
}

/** The files that an approved command must not change, with their contents. */
function fixedIn(folder: string, hashBytes: number, command: string): [name: string, content: string][] {
  const isKnown = (path: string): boolean | null => {
    if (readOnly.test(path)) return false
    return command === 'rebase' && /^rebase-(merge|apply)(\/[\w-]+(\.backup)?)?$/.test(path) ? true : null
  }
  return unknownInGit(folder, hashBytes, isKnown).map((name) => {
    // The folder around others can be renamed.
    const isHeld = !name.includes('/') && !replaced.test(name)
    return [name, contentOf(join(folder, name), isHeld)]
  })
}

/** The content of a file or folder, such as `.vscode`; empty if there is none. `isHeld`: only of links, because a mount keeps the rest from changing. */
function contentOf(path: string, isHeld = false): string {
  return attempt(() => {
    const stats = lstatSync(path, { bigint: true })
    if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`
    if (isHeld) return ''
    if (stats.isDirectory())
      return readdirSync(path)
        .map((name) => `${name.length} ${name} ${contentOf(join(path, name))}`)
        .join()
    const bytes = stats.isFile() ? readSmallFileIfAny(path, maxBytes) : null
    // Later commands could change it through another name.
    if (bytes !== null)
      return `${stats.mode} ${stats.nlink} ${createHash('sha256').update(bytes).digest('hex')}`
    return [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join()
  }, '')
}

/** Throws unless they look like those of a repository, because they become writable. */
function foldersOf(repository: string): readonly string[] {
  const git = findProjectGit(dirname(repository))
  if (git?.top !== dirname(repository)) throw new Error(`${repository} is not a repository`)
  const expected = [join(dirname(git.index), 'HEAD'), join(git.common, 'objects'), join(git.common, 'refs')]
  const missing = expected.find((path) => !existsSync(path))
  if (missing !== undefined) throw new Error(`${repository} is not a repository: ${missing} is missing`)
  return [...new Set([git.common, dirname(git.index)].map((path) => realpathSync(path)))]
}

function configOf(folder: string): Buffer | null {
  const path = join(folder, 'config')
  const config = readSmallFileIfAny(path, maxBytes)
  if (config === null && existsSync(path)) throw new Error(`${path} cannot be read`)
  return config
}

function isSameConfig(before: string | null, file: string): boolean {
  if (!lstatSync(file).isFile()) return false
  const [old, now] = [before, readSmallFileIfAny(file, maxBytes)?.toString('latin1')].map((text) =>
    text?.replace(branchSettings, ''),
  )
  return old !== undefined && old === now
}
