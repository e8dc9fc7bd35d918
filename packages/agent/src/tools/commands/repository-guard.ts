import {
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { attempt, findProjectGit, messageOf, readSmallFileIfAny } from '@curfew/core/internal'
import type { GitWrite } from './git-write.ts'
import { quarantine } from './quarantine.ts'

/** Data that git only stores. Everything else in `.git` may make git run a program, or look elsewhere. */
const stored =
  /^([A-Z_]*(HEAD|MSG|MODE|MERGE|RR|STASH)|((shared|next-)?index|fsmonitor--daemon)[\w.-]*|packed-refs|shallow|gc|objects|refs|logs|rr-cache|sequencer|lfs)(\.lock|\.pid|\.log)?$/
/** They record which branch follows which. */
const changesConfig = /^(branch|checkout|switch)$/
/** As git writes it. */
const branchSettings =
  /^\[branch "[^"\\\n]*"\]\n(?:\t(?:remote|merge|rebase|pushremote|description) = [^\\"\n]*\n)*/gim
const maxConfigBytes = 1 << 20

interface GitFolder {
  readonly path: string
  /** The entries that git does not change, with the targets of links. */
  readonly fixed: ReadonlyMap<string, string>
  readonly config: Buffer | null
}

/** Lets an approved command of git change its repository, but not what git runs there: a hook may run what a model wrote. */
export class RepositoryGuard {
  readonly #folders: readonly GitFolder[]
  readonly #isFixed: (name: string) => boolean
  /** Arguments of bubblewrap, after all others. */
  readonly options: readonly string[]

  constructor({ args, repository }: GitWrite) {
    const [command = ''] = args
    this.#isFixed = (name) => !stored.test(name) && !(command === 'rebase' && /^rebase-/.test(name))
    // The shared folder of a worktree comes first, because the other one is inside it.
    const paths = repository === null ? [] : foldersOf(repository)
    this.#folders = paths.map((path) => {
      const config = readSmallFileIfAny(join(path, 'config'), maxConfigBytes)
      if (config === null && existsSync(join(path, 'config')))
        throw new Error(`${path}/config cannot be read`)
      return { path, fixed: this.#fixed(path), config }
    })
    this.options = this.#folders.flatMap(({ path, fixed }) => [
      ...['--bind', path, path],
      ...[...fixed]
        .filter(([name, target]) => target === '' && !(name === 'config' && changesConfig.test(command)))
        .flatMap(([name]) => ['--ro-bind', join(path, name), join(path, name)]),
    ])
  }

  /** Moves away what appeared, and restores what changed. Returns notes for the model. */
  async finish(quarantineFolder: string): Promise<string[]> {
    const notes: string[] = []
    for (const { path, fixed, config } of this.#folders) {
      for (const [name, target] of this.#fixed(path)) {
        const file = join(path, name)
        const isChanged = name === 'config' ? !isSameConfig(config, file) : fixed.get(name) !== target
        if (!isChanged) continue
        try {
          const to = await quarantine(file, quarantineFolder)
          const before = fixed.get(name) ?? ''
          if (before !== '') symlinkSync(before, file)
          if (name === 'config' && config !== null) writeFileSync(file, config, { flag: 'wx' })
          notes.push(
            `${file} was changed while git ran, so that git may run a program; it was moved to ${to}`,
          )
        } catch (error) {
          notes.push(`${file} was changed while git ran, and could not be restored: ${messageOf(error)}`)
        }
      }
    }
    return notes
  }

  /** Also every link: git would write into what it leads to. */
  #fixed(folder: string): Map<string, string> {
    const listed = ['.', 'logs', 'refs'].flatMap((name) =>
      attempt(() => readdirSync(join(folder, name), { recursive: name !== '.', encoding: 'utf8' }), []).map(
        (entry) => join(name, entry),
      ),
    )
    const targets = listed.map((name) => [name, attempt(() => readlinkSync(join(folder, name)), '')] as const)
    return new Map(
      targets.filter(([name, target]) => target !== '' || (!name.includes(sep) && this.#isFixed(name))),
    )
  }
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

function isSameConfig(before: Buffer | null, file: string): boolean {
  if (!lstatSync(file).isFile()) return false
  const [old, now] = [before, readSmallFileIfAny(file, maxConfigBytes)].map((text) =>
    text?.toString('latin1').replace(branchSettings, ''),
  )
  return old !== undefined && old === now
}
