import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { CurfewError, formatDuration } from '@curfew/core'
import {
  type Clock,
  GitMissingError,
  messageOf,
  systemClock,
  unexpectedOption,
  withLock,
} from '@curfew/core/internal'
import type { Checkpoint } from './checkpoint.ts'
import { CheckpointList, type Retention } from './checkpoint-list.ts'
import { collectObjects } from './collect-objects.ts'
import { coverRestored } from './cover-restored.ts'
import { temporaryPrefix } from './exclude-rules.ts'
import { cleanUpRestore, describeInterruption, markRestore, unmarkRestore } from './interrupted-restore.ts'
import { planRestore, type RestorePlan } from './plan-restore.ts'
import { type FailedPath, restoreFiles } from './restore-files.ts'
import { ShadowRepository } from './shadow-repository.ts'
import type { SnapshotScope } from './snapshot-scope.ts'
import { type Snapshot, takeSnapshot } from './take-snapshot.ts'

export interface CheckpointOptions {
  /** The root of the workspace. */
  readonly root: string
  /** The folder with Curfew's state: `$XDG_STATE_HOME/curfew`. */
  readonly folder: string
  /** Which conversation the positions belong to, such as the id of its session. */
  readonly conversation: string
  /** Whether a file may contain secrets, by its absolute path. It is not covered then. */
  readonly isSecret: (path: string) => boolean
  /** Called once if no checkpoints can be taken, or if one fails after others succeeded. */
  readonly onNotice: (message: string) => void
  /**
   * Files that are larger are not covered.
   * @default 10 MB
   */
  readonly maxFileBytes?: number | undefined
  /**
   * The time for one checkpoint.
   * @default 30,000
   */
  readonly timeoutMs?: number | undefined
  /** @default 200 checkpoints and 30 days per workspace */
  readonly retention?: Partial<Retention> | undefined
  readonly clock?: Clock | undefined
}

/** Where a conversation is when a checkpoint is taken. */
export interface CheckpointRequest {
  /** The id of the last item of the history before what follows; 0 if there is none. */
  readonly position: number
  /** What follows, as short lines. */
  readonly followedBy: readonly string[]
  readonly signal: AbortSignal
}

export interface RestoreReport {
  /** The checkpoint that was taken before anything was changed. */
  readonly before: Checkpoint
  readonly failed: readonly FailedPath[]
}

export interface Checkpoints {
  /** Saves the files. Never rejects: if it fails or takes too long, the person gets a notice. */
  take(request: CheckpointRequest): Promise<void>
  /** Newest first. */
  list(): Promise<readonly Checkpoint[]>
  /** What restoring would do. Rejects if there is no such checkpoint. */
  plan(number: number, options: { readonly signal: AbortSignal }): Promise<RestorePlan>
  /** Restores the files, after saving the current ones. Rejects if they have changed since the plan was made. */
  restore(plan: RestorePlan, request: CheckpointRequest): Promise<RestoreReport>
  /** Ends what is running, and waits for it. */
  close(): Promise<void>
}

const megabyte = 1_000_000
/** What is larger is not a project, but for example a home folder. */
const maxFiles = 200_000
const maxBytes = 4_000 * megabyte
const restoreTimeoutMs = 600_000
const cleanUpTimeoutMs = 120_000
/** After this many timeouts in a row, no more checkpoints are taken. */
const maxTimeouts = 2

export function createCheckpoints(options: CheckpointOptions): Checkpoints {
  if (!isAbsolute(options.folder)) throw unexpectedOption('folder', 'an absolute path', options.folder)
  return new WorkspaceCheckpoints(options)
}

class WorkspaceCheckpoints implements Checkpoints {
  readonly #options: CheckpointOptions
  readonly #clock: Clock
  readonly #repository: ShadowRepository
  readonly #list: CheckpointList
  readonly #scope: SnapshotScope
  readonly #retention: Retention
  readonly #closed = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #previous: Snapshot | null = null
  #isCleanedUp = false
  #hasFailed = false
  #timeouts = 0
  /** No more checkpoints are taken. */
  #isOff = false

  constructor(options: CheckpointOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#repository = new ShadowRepository(options.folder, realpathSync(options.root))
    this.#list = new CheckpointList(this.#repository.folder)
    this.#scope = {
      isSecret: options.isSecret,
      maxFileBytes: options.maxFileBytes ?? 10 * megabyte,
      maxFiles,
      maxBytes,
    }
    this.#retention = { maxCheckpoints: 200, maxAgeMs: 30 * 24 * 3_600_000, ...options.retention }
  }

  async take(request: CheckpointRequest): Promise<void> {
    if (this.#isOff || this.#closed.signal.aborted) return
    const timeoutMs = this.#options.timeoutMs ?? 30_000
    try {
      await this.#locked(request.signal, timeoutMs, async (signal) => {
        await this.#list.removeOld(this.#retention, this.#clock.wallTime())
        await this.#add(await this.#snapshot(signal), request)
      })
      this.#hasFailed = false
      this.#timeouts = 0
      this.#cleanUpOnce()
    } catch (error) {
      // Nothing waits for it any more.
      if (request.signal.aborted || this.#closed.signal.aborted) return
      this.#onFailure(error)
    }
  }

  async list(): Promise<readonly Checkpoint[]> {
    return (await this.#list.readAll()).reverse()
  }

  async plan(number: number, { signal }: { readonly signal: AbortSignal }): Promise<RestorePlan> {
    return await this.#locked(signal, restoreTimeoutMs, async (signal) => {
      const checkpoint = await this.#list.read(number)
      if (checkpoint === null) throw new Error(`there is no checkpoint ${number}; /restore lists them`)
      return await planRestore(this.#repository, checkpoint, await this.#snapshot(signal), signal)
    })
  }

  async restore(plan: RestorePlan, request: CheckpointRequest): Promise<RestoreReport> {
    const { checkpoint } = plan
    return await this.#locked(request.signal, restoreTimeoutMs, async (signal) => {
      const snapshot = await this.#snapshot(signal)
      if (snapshot.tree !== plan.current)
        throw new Error(
          `files have changed since you were asked, so nothing was restored; run /restore ${checkpoint.number} again`,
        )
      const unchangedSince = Date.now()
      const before = await this.#add(snapshot, request)
      const { changes } = plan
      const repository = this.#repository
      await coverRestored(repository, changes, signal)
      const temporary = temporaryPrefix + randomBytes(8).toString('hex')
      await markRestore(repository, { checkpoint: checkpoint.number, before: before.number, temporary })
      try {
        const failed = await restoreFiles({ repository, changes, temporary, unchangedSince, signal })
        return { before, failed }
      } catch (error) {
        const message = `${describeInterruption(checkpoint.number, before.number)} (${messageOf(error)})`
        throw new Error(message, { cause: error })
      } finally {
        await unmarkRestore(repository)
      }
    })
  }

  async close(): Promise<void> {
    this.#closed.abort(new CurfewError('CANCELLED', 'the checkpoints are closed'))
    await Promise.allSettled(this.#running)
  }

  /** Runs a function while nothing else uses the checkpoints of the workspace. */
  async #locked<T>(
    ended: AbortSignal,
    timeoutMs: number,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const timeout = new AbortController()
    const signal = AbortSignal.any([this.#closed.signal, timeout.signal, ended])
    const timer = this.#clock.setTimer(timeoutMs, () => timeout.abort(new SlowCheckpointError(timeoutMs)))
    const repository = this.#repository
    const running = (async () => {
      signal.throwIfAborted()
      await repository.prepareFolder()
      // The signal ends the waiting.
      return await withLock(
        join(repository.folder, 'workspace'),
        async () => {
          await repository.prepare()
          const notice = await cleanUpRestore(repository, this.#list, signal)
          if (notice !== null) this.#options.onNotice(notice)
          return await run(signal)
        },
        { waitMs: Number.POSITIVE_INFINITY, signal },
      )
    })()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
      this.#clock.clearTimer(timer)
    }
  }

  async #snapshot(signal: AbortSignal): Promise<Snapshot> {
    const last = (await this.#list.numbers()).at(-1)
    const lastTree = last === undefined ? null : ((await this.#list.read(last))?.tree ?? null)
    const snapshot = await takeSnapshot(this.#repository, {
      lastTree,
      scope: this.#scope,
      signal,
      previous: this.#previous,
    })
    this.#previous = snapshot
    return snapshot
  }

  async #add({ tree, uncovered }: Snapshot, request: CheckpointRequest): Promise<Checkpoint> {
    const { position, followedBy } = request
    const { conversation } = this.#options
    const createdAt = this.#clock.wallTime()
    return await this.#list.add({ createdAt, conversation, position, followedBy, tree, uncovered })
  }

  /** Later, so that no call waits for it. */
  #cleanUpOnce(): void {
    if (this.#isCleanedUp) return
    this.#isCleanedUp = true
    void this.#locked(this.#closed.signal, cleanUpTimeoutMs, async (signal) => {
      const checkpoints = await this.#list.readAll()
      const trees = checkpoints.map(({ tree }) => tree)
      await collectObjects(this.#repository, trees, signal, this.#clock.wallTime())
    }).catch(() => {})
  }

  #onFailure(error: unknown): void {
    const { onNotice } = this.#options
    if (error instanceof GitMissingError) {
      this.#isOff = true
      return onNotice('git is not installed, so no checkpoints are taken, and /restore cannot undo changes')
    }
    this.#timeouts = error instanceof SlowCheckpointError ? this.#timeouts + 1 : 0
    const reason = messageOf(error)
    if (this.#timeouts === maxTimeouts) {
      this.#isOff = true
      return onNotice(`no more checkpoints are taken: ${reason}, ${maxTimeouts} times in a row`)
    }
    if (!this.#hasFailed) onNotice(`no checkpoint was taken before this change: ${reason}`)
    this.#hasFailed = true
  }
}

class SlowCheckpointError extends Error {
  constructor(timeoutMs: number) {
    super(`it took longer than ${formatDuration(timeoutMs)}`)
    this.name = 'SlowCheckpointError'
  }
}
