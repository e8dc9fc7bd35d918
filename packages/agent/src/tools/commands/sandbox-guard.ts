import { type FSWatcher, lstatSync, readlinkSync, symlinkSync, watch } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import type { ToolContext } from '@curfew/core'
import { attempt, messageOf, systemClock } from '@curfew/core/internal'
import { runningCommands } from '../../workspace/placeholders.ts'
import { showPath } from '../../workspace/show-path.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { isHarmlessRepository } from './harmless-repository.ts'
import { putBack, quarantine } from './quarantine.ts'
import type { SensitiveFiles, WorkspaceScanner } from './scan-workspace.ts'

export interface SandboxGuardOptions {
  readonly workspace: Workspace
  readonly scanner: WorkspaceScanner
  /** Before the command. */
  readonly files: SensitiveFiles
  readonly mountPoints: readonly string[]
  readonly quarantineFolder: string
}

type Ask = ToolContext['ask']

const checkMs = 1_000
/** A check takes at most this part of the time. */
const maxShare = 0.05
const restoreAnswer = 'Put back'

/** Checks what mounts cannot prevent: that a mount point is replaced from outside, and that new files with permissions appear. */
export class SandboxGuard {
  readonly #options: SandboxGuardOptions
  readonly #mounted: ReadonlyMap<string, string | null>
  /** The targets of links. */
  readonly #links: ReadonlyMap<string, string>

  constructor(options: SandboxGuardOptions) {
    const { files, mountPoints } = options
    this.#options = options
    this.#mounted = new Map(mountPoints.map((path) => [path, identityOf(path)]))
    this.#links = new Map(files.links.map((path) => [path, targetOf(path)]))
  }

  /**
   * Calls `stop` once the command must not continue. One that ends soon may create files with permissions, because they are moved away
   * afterwards: only a repository that runs programs is dangerous until then. One in the background may create none, and no repository,
   * which it could change at any time. Returns a function that ends the checks.
   */
  watch(isBackground: boolean, stop: (problem: string) => void): () => void {
    const folders = new Set([...this.#mounted.keys()].map((path) => dirname(path)))
    const stopIfLost = (): void => {
      const path = this.#lost()
      if (path !== undefined) stop(this.#describeLost(path))
    }
    const watchers = [...folders].flatMap((folder) => watcherOf(folder, stopIfLost))
    let isEnded = false
    const check = async (): Promise<void> => {
      const start = systemClock.now()
      stopIfLost()
      try {
        const found = await this.#appeared(isBackground)
        const [path] = found.filter((one) => isBackground || one.isGit)
        if (path !== undefined) stop(`${this.#describe(path)} appeared while the command ran`)
      } catch (error) {
        stop(`the workspace could not be checked: ${messageOf(error)}`)
      }
      if (!isEnded)
        timer = systemClock.setTimer(Math.max(checkMs, (systemClock.now() - start) / maxShare), check)
    }
    let timer = systemClock.setTimer(checkMs, check)
    let resolveEnd: () => void
    const ended = new Promise<void>((resolve) => {
      resolveEnd = resolve
    })
    const end = (path: string): Promise<void> | null => {
      if (!this.#options.workspace.folders.some((one) => path.startsWith(one + sep))) return null
      stop(`${this.#show(path)} is changed, which is protected`)
      return ended
    }
    runningCommands.add(end)
    return () => {
      isEnded = true
      runningCommands.delete(end)
      resolveEnd()
      systemClock.clearTimer(timer)
      for (const watcher of watchers) watcher.close()
    }
  }

  /** Call it after the command has ended. Moves away what appeared, and asks whether to put it back. Returns notes for the model. */
  async finish(ask: Ask | null): Promise<readonly string[]> {
    const lost = this.#lost()
    const notes = lost === undefined ? [] : [this.#describeLost(lost)]
    const moved: MovedFile[] = []
    try {
      // A command must not keep what it created by creating even more.
      for (const one of await this.#appeared(false, Number.POSITIVE_INFINITY))
        await this.#moveAway(one).then(
          (result) => moved.push(result),
          (error: unknown) =>
            notes.push(`${this.#describe(one)} appeared, and could not be moved away: ${messageOf(error)}`),
        )
    } catch (error) {
      notes.push(`the workspace could not be checked for files with permissions: ${messageOf(error)}`)
    }
    const isKept = moved.length > 0 && (await isConfirmed(ask, moved))
    for (const { path, to, text } of moved) {
      const problem = isKept ? await putBack(to, path) : ''
      const outcome =
        problem === null
          ? 'the user allowed it'
          : `it was moved to ${to}; the user can put it back ${problem}`
      notes.push(`${text} appeared while the command ran; ${outcome.trim()}`)
    }
    return notes
  }

  async #moveAway(found: Appeared): Promise<MovedFile> {
    const { path } = found
    const text = this.#describe(found)
    const to = await quarantine(path, this.#options.quarantineFolder)
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

  async #appeared(withHarmless: boolean, maxEntries?: number): Promise<readonly Appeared[]> {
    const { files, scanner } = this.#options
    const known = new Set([...this.#mounted.keys(), ...files.protected, ...files.git])
    const now = await scanner.scan(undefined, maxEntries)
    const found: Appeared[] = []
    for (const path of now.git)
      if (!known.has(path) && (withHarmless || !isHarmlessRepository(path))) found.push({ path, isGit: true })
    const linksBefore = new Set(files.linked.map(([link]) => link))
    // What only new links lead to is not new: the links are moved away.
    const isKept = (path: string): boolean => {
      const links = now.linked.filter(([, target]) => target === path)
      return links.length > 0 && links.every(([link]) => !linksBefore.has(link))
    }
    for (const path of now.protected)
      if (!known.has(path) && !isKept(path)) found.push({ path, isGit: false })
    for (const path of now.links)
      if (this.#links.get(path) !== targetOf(path)) found.push({ path, isGit: /\.git$/i.test(path) })
    return found
  }

  #describeLost(path: string): string {
    return `${this.#show(path)} was replaced or removed while the command ran, so that the sandbox did not protect it any more; check it`
  }

  #describe({ path, isGit }: Appeared): string {
    const { workspace } = this.#options
    const reason = isGit
      ? 'a repository, which may run programs'
      : (workspace.locate(path).protected ?? 'it cannot be checked, or a protected link leads to it')
    return `${this.#show(path)} (${reason})`
  }

  #show(path: string): string {
    return showPath(relative(this.#options.workspace.root, path) || '.')
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

function targetOf(link: string): string {
  return attempt(() => readlinkSync(link), '')
}

/** `null` if it cannot be looked up, such as in a folder that became a file. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

/** Without one, only the regular checks notice changes. */
function watcherOf(folder: string, changed: () => void): FSWatcher[] {
  return attempt(() => [watch(folder, { persistent: false }, changed).on('error', () => {})], [])
}
