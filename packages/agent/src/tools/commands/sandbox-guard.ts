import {
  closeSync,
  constants,
  type FSWatcher,
  lstatSync,
  openSync,
  readlinkSync,
  symlinkSync,
  watch,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { ToolContext } from '@curfew/core'
import { attempt, messageOf, systemClock } from '@curfew/core/internal'
import { runningCommands } from '../../workspace/placeholders.ts'
import { showPath } from '../../workspace/show-path.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { O_PATH } from '../files/pin-folder.ts'
import { CheckFile } from './check-file.ts'
import { isHarmlessRepository } from './harmless-repository.ts'
import { putBack, quarantine } from './quarantine.ts'
import type { RepositoryGuard } from './repository-guard.ts'
import { isNotUtf8, type WorkspaceScanner } from './scan-workspace.ts'

export interface SandboxGuardOptions {
  readonly workspace: Workspace
  readonly scanner: WorkspaceScanner
  readonly mountPoints: readonly string[]
  /** The symbolic links with protected names before the command, and their targets. */
  readonly links: ReadonlyMap<string, string>
  /** The links before the command, and the protected files that they lead to. */
  readonly linked: readonly (readonly [link: string, target: string])[]
  readonly stateFolder: string
  /** For an approved command of git, which may write files with permissions. */
  readonly git: RepositoryGuard | null
}

type Ask = ToolContext['ask']

const checkMs = 1_000
/** For mount points in folders that cannot be watched. */
const pollMs = 20
/** A check takes at most this part of the time. */
const maxShare = 0.05
const restoreAnswer = 'Put back'

/** Those of this process whose check has not succeeded. */
const openGuards = new Set<SandboxGuard>()

/** Resolves when the workspace has been checked after each command. */
export async function sandboxChecks(workspace: Workspace): Promise<void> {
  for (const { options, checked } of openGuards) if (options.workspace === workspace) await checked.promise
}

/** Those that have to check these folders again. */
export function failedChecks(folders: readonly string[]): readonly SandboxGuard[] {
  return [...openGuards].filter(
    ({ problem, options }) =>
      problem !== null && options.workspace.folders.every((folder) => folders.includes(folder)),
  )
}

/** Checks what mounts cannot prevent: that a mount point is replaced from outside, and that new files with permissions appear. */
export class SandboxGuard {
  readonly #mounted: ReadonlyMap<string, string | null>
  readonly #known: Set<string>
  readonly #links: Map<string, string>
  readonly #held: number[] = []
  readonly options: SandboxGuardOptions
  readonly record: CheckFile
  /** To be resolved when the result of the check has been reported. */
  readonly checked: PromiseWithResolvers<void> = Promise.withResolvers()
  /** Why the check has not succeeded; `null` before it. */
  problem: string | null

  /** `missing`: the record of a check that another process has not completed. */
  constructor(options: SandboxGuardOptions, missing?: string) {
    const { workspace, mountPoints, links, stateFolder, git } = options
    this.options = options
    this.problem = missing === undefined ? null : 'it is missing'
    // Files that another command has created are not known: they are moved away after that command, and this one could put them back.
    const others = [...openGuards].filter((other) => other.options.workspace === workspace)
    const isOld = (path: string): boolean => others.every((other) => other.#isKnown(path))
    this.#mounted = new Map(mountPoints.map((path) => [path, identityOf(path)]))
    this.#known = new Set(mountPoints.filter((path) => this.#mounted.get(path) !== null && isOld(path)))
    this.#links = new Map([...links].filter(([path, target]) => target !== '' && isOld(path)))
    const files = { folders: workspace.folders, known: [...this.#known], links: [...this.#links] }
    this.record =
      missing === undefined
        ? CheckFile.create(stateFolder, { ...files, git: git?.state ?? null })
        : new CheckFile(missing)
    openGuards.add(this)
  }

  /**
   * Calls `stop` once the command must not continue. One that ends soon may create files with permissions, because they are moved away
   * afterwards: only a repository that runs programs is dangerous until then. One in the background may create none, and no repository,
   * which it could change at any time. Returns a function that ends the checks.
   */
  watch(isBackground: boolean, stop: (problem: string) => void): () => void {
    if (this.options.git !== null) return () => {}
    // Without a birth time, the file system could give the number to a new file unless the old one is open.
    for (const [path, identity] of this.#mounted)
      if (identity?.endsWith(':0')) this.#held.push(openSync(path, O_PATH | constants.O_NOFOLLOW))
    const folders = new Set([...this.#mounted.keys()].map((path) => dirname(path)))
    const stopIfLost = (): void => {
      const path = this.#lost()
      if (path !== undefined) stop(this.#describeLost(path))
    }
    let isWatched = true
    const fail = (): unknown => (isWatched = false)
    const watchers = [...folders].flatMap((folder) => watcherOf(folder, stopIfLost, fail))
    const endLostChecks = repeat(() => (isWatched ? checkMs : pollMs), stopIfLost)
    const check = async (): Promise<void> => {
      try {
        const found = await this.#appeared(isBackground)
        const [path] = found.filter((one) => isBackground || one.isGit)
        if (path !== undefined) stop(`${this.#describe(path)} appeared while the command ran`)
      } catch (error) {
        stop(`the workspace could not be checked: ${messageOf(error)}`)
      }
    }
    const endChecks = repeat(() => checkMs, check)
    const ended = Promise.withResolvers<void>()
    const end = (path: string): Promise<void> | null => {
      if (!this.options.workspace.folders.some((one) => path.startsWith(one + sep))) return null
      stop(`${this.#show(path)} is changed, which is protected`)
      return ended.promise
    }
    runningCommands.add(end)
    return () => {
      endLostChecks()
      endChecks()
      runningCommands.delete(end)
      ended.resolve()
      for (const watcher of watchers) watcher.close()
    }
  }

  /**
   * Call it after the command has ended, and again while there is a `problem`. Moves away what appeared, and asks whether to put it back.
   * Returns notes for the model. Does not throw.
   */
  async finish(ask: Ask | null): Promise<readonly string[]> {
    const { git, stateFolder } = this.options
    const notes: string[] = []
    const problems: string[] = []
    try {
      const lost = git === null ? this.#lost() : undefined
      if (lost !== undefined) notes.push(this.#describeLost(lost))
      for (const path of git?.changed() ?? []) {
        this.#known.delete(path)
        this.#links.delete(path)
      }
      await git?.finish(join(stateFolder, 'quarantine'), notes, problems)
      const moved: MovedFile[] = []
      for (const one of await this.#appeared(false))
        await this.#moveAway(one).then(
          (result) => moved.push(result),
          (error: unknown) =>
            problems.push(
              `${this.#describe(one)} appeared, and could not be moved away: ${messageOf(error)}`,
            ),
        )
      const isKept = moved.length > 0 && (await isConfirmed(ask, moved))
      for (const { path, to, text } of moved) {
        const problem = isKept ? await putBack(to, path) : ''
        if (problem === null) this.#known.add(path)
        const outcome =
          problem === null
            ? 'the user allowed it'
            : `it was moved to ${to}; the user can put it back ${problem}`
        notes.push(`${text} appeared while the command ran; ${outcome.trim()}`)
      }
    } catch (error) {
      problems.push(`the workspace could not be checked for files with permissions: ${messageOf(error)}`)
    }
    this.problem = problems[0] ?? null
    for (const descriptor of this.#held.splice(0)) closeSync(descriptor)
    if (this.problem === null) {
      this.record.remove()
      openGuards.delete(this)
    }
    return [...notes, ...problems]
  }

  async #moveAway(found: Appeared): Promise<MovedFile> {
    const { path } = found
    const text = this.#describe(found)
    if (isNotUtf8(path)) throw new Error('its name is not valid UTF-8; rename it')
    const to = await quarantine(path, join(this.options.stateFolder, 'quarantine'))
    const target = this.#links.get(path)
    if (target !== undefined) symlinkSync(target, path)
    return { path, to, text }
  }

  /** A mount point that is not what was mounted: the mount has ended. */
  #lost(): string | undefined {
    for (const [path, identity] of this.#mounted)
      if (identity === null || identityOf(path) !== identity) return path
    return undefined
  }

  async #appeared(withHarmless: boolean): Promise<readonly Appeared[]> {
    const now = await this.options.scanner.scan()
    const found: Appeared[] = []
    for (const path of now.git) {
      // A file is replaced when it is saved, but a repository is not.
      const isSame = this.#isKnown(path) && this.#mounted.get(path) === identityOf(path)
      if (!isSame && (withHarmless || !isHarmlessRepository(path))) found.push({ path, isGit: true })
    }
    // A target that only new links lead to is not new: the links are moved away.
    const before = new Set(this.options.linked.map(([link]) => link))
    const ofOld = new Set(now.linked.flatMap(([link, target]) => (before.has(link) ? [target] : [])))
    const ofNew = new Set(now.linked.flatMap(([, target]) => (ofOld.has(target) ? [] : [target])))
    for (const path of now.protected)
      if (!this.#isKnown(path) && !ofNew.has(path)) found.push({ path, isGit: false })
    for (const path of now.links) if (!this.#isKnown(path)) found.push({ path, isGit: /\.git$/i.test(path) })
    return found
  }

  #isKnown(path: string): boolean {
    return this.#known.has(path) || this.#links.get(path) === targetOf(path)
  }

  #describeLost(path: string): string {
    return `${this.#show(path)} was replaced or removed while the command ran, so that the sandbox did not protect it any more; check it`
  }

  #describe({ path, isGit }: Appeared): string {
    const { workspace } = this.options
    const reason = isGit
      ? 'a repository, which may run programs'
      : (workspace.whyProtected(path) ??
        workspace.locate(path).protected ??
        'it cannot be checked, or a protected link leads to it')
    return `${this.#show(path)} (${reason})`
  }

  #show(path: string): string {
    return showPath(relative(this.options.workspace.root, path) || '.')
  }
}

interface Appeared {
  readonly path: string
  readonly isGit: boolean
}

interface MovedFile {
  readonly path: string
  readonly to: string
  readonly text: string
}

async function isConfirmed(ask: Ask | null, moved: readonly MovedFile[]): Promise<boolean> {
  const list = moved.map(({ text }) => `- ${text}`).join('\n')
  const message = `The command created files with permissions, which were moved away:\n${list}\nPut them back?`
  const answer = await ask?.({ message, choices: ['Leave them in quarantine', restoreAnswer] }).catch(
    () => null,
  )
  return answer === restoreAnswer
}

export function targetOf(link: string): string {
  return attempt(() => readlinkSync(link), '')
}

/** `null` if it cannot be looked up, such as in a folder that became a file. A new file often gets the number of one that was removed. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino, birthtimeNs } = lstatSync(path, { bigint: true })
    return `${dev}:${ino}:${birthtimeNs}`
  } catch {
    return null
  }
}

/** Fails if the user's watches are used up, for example. */
function watcherOf(folder: string, changed: () => void, fail: () => unknown): FSWatcher[] {
  const found = attempt(() => [watch(folder, { persistent: false }, changed).on('error', fail)], [])
  if (found.length === 0) fail()
  return found
}

/** Calls `run` again and again. Returns a function that ends that. */
function repeat(ms: () => number, run: () => unknown): () => void {
  let isEnded = false
  const next = async (): Promise<void> => {
    const start = systemClock.now()
    await run()
    if (!isEnded) timer = systemClock.setTimer(Math.max(ms(), (systemClock.now() - start) / maxShare), next)
  }
  let timer = systemClock.setTimer(ms(), next)
  return () => {
    isEnded = true
    systemClock.clearTimer(timer)
  }
}
