import { type Conversation, CurfewError, type Runtime } from '@curfew/core'
import { systemClock } from '@curfew/core/internal'
import { showPath } from './byte-path.ts'
import type { Checkpoint, UncoveredReason } from './checkpoint.ts'
import type { Checkpoints } from './create-checkpoints.ts'
import { describeCheckpoint, describeCount } from './describe-checkpoint.ts'
import type { RestorePlan } from './plan-restore.ts'
import type { FailedPath } from './restore-files.ts'

/** `/restore`. */
export interface CheckpointHost {
  /** Newest first. */
  list(): Promise<readonly { readonly number: number; readonly description: string }[]>
  /** Restores files and conversation after the person has confirmed it. Resolves with what was done; rejects with the reason if nothing was. */
  restore(number: number, signal: AbortSignal): Promise<string>
}

export interface CheckpointHostOptions {
  readonly checkpoints: Checkpoints
  readonly agent: RewindableAgent
  readonly runtime: Pick<Runtime, 'getSnapshot' | 'listTools'>
  /** As for `createCheckpoints`. */
  readonly conversation: string
  /** Other folders of the workspace, such as those of `--add-dir`: they are not covered. */
  readonly otherFolders?: readonly string[] | undefined
}

/** What restoring needs from an agent. */
interface RewindableAgent {
  readonly ask: Conversation['ask']
  canRewind(position: number): boolean
  rewind(
    position: number,
    options: { readonly restore: (signal: AbortSignal) => Promise<void>; readonly signal: AbortSignal },
  ): Promise<void>
  getSnapshot(): {
    readonly streamingState: string
    readonly items: readonly { readonly id: number; readonly at: number }[]
  }
}

const maxListed = 50
const maxShown = 20
const yes = 'restore'
const no = 'cancel'

export function createCheckpointHost(options: CheckpointHostOptions): CheckpointHost {
  const { checkpoints, agent, conversation } = options
  const describe = (checkpoint: Checkpoint): string => {
    const isOther = checkpoint.conversation !== conversation
    return describeCheckpoint(checkpoint, systemClock.wallTime(), isOther)
  }

  return {
    list: async () =>
      (await checkpoints.list())
        .slice(0, maxListed)
        .map((checkpoint) => ({ number: checkpoint.number, description: describe(checkpoint) })),

    async restore(number, signal) {
      assertIdle(options)
      const plan = await checkpoints.plan(number, { signal })
      const { checkpoint, changes } = plan
      const target = positionIn(agent, checkpoint, conversation)
      const current = currentPosition(agent)
      if (changes.length === 0 && (target ?? current) === current)
        return `Nothing has changed since checkpoint ${number}.`
      const removed = target === null ? null : itemsAfter(agent, target)
      const message = question(plan, describe(checkpoint), removed, options.otherFolders ?? [])
      const answer = await agent.ask({ message, choices: [yes, no] }, { signal }).catch(rejectUnanswered)
      if (answer !== yes) return 'Nothing was restored.'
      // Something may have started meanwhile.
      assertIdle(options)
      let result = ''
      await agent.rewind(target ?? currentPosition(agent), {
        signal,
        restore: async (aborted) => {
          const { before, failed } = await checkpoints.restore(plan, {
            position: currentPosition(agent),
            followedBy: [`/restore ${number}`],
            signal: aborted,
          })
          result = describeResult(plan, failed, before.number)
        },
      })
      return target === null ? result : `${result}\nThe conversation is as it was then.`
    },
  }
}

/** The message of the core repeats the question, which is long. */
function rejectUnanswered(error: unknown): never {
  if (!(error instanceof CurfewError) || error.code !== 'DENIED') throw error
  throw new CurfewError('DENIED', '/restore needs a confirmation, and nobody is available to give it', {
    cause: error,
  })
}

/** Throws if something may be changing files. */
function assertIdle({ agent, runtime }: CheckpointHostOptions): void {
  const readOnly = new Set(
    runtime.listTools('full').flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : [])),
  )
  const writers = runtime
    .getSnapshot()
    .calls.filter(({ endedAt, name }) => endedAt === null && !readOnly.has(name))
  if (writers.length > 0) {
    const names = writers.map(
      ({ uid, name, background }) => `${name} (${background ? 'background task ' : ''}${uid})`,
    )
    throw new CurfewError(
      'INVALID_OPTION',
      `/restore: ${names.join(', ')} may be changing files; wait until nothing is running, or end it with /cancel`,
    )
  }
  if (agent.getSnapshot().streamingState !== 'idle')
    throw new CurfewError('INVALID_OPTION', '/restore: a turn is running; wait until it ends, or cancel it')
}

/** Where the conversation was; `null` if it cannot go back there. */
function positionIn(agent: RewindableAgent, checkpoint: Checkpoint, conversation: string): number | null {
  const { position, createdAt } = checkpoint
  if (checkpoint.conversation !== conversation) return null
  if (position === 0) return 0
  const item = agent.getSnapshot().items.find(({ id }) => id === position)
  // After an earlier rewind, a resumed conversation uses an id again.
  const isSame = item !== undefined && item.at <= createdAt
  return isSame && agent.canRewind(position) ? position : null
}

function itemsAfter(agent: RewindableAgent, position: number): number {
  const { items } = agent.getSnapshot()
  return items.length - 1 - items.findIndex(({ id }) => id === position)
}

function currentPosition(agent: RewindableAgent): number {
  return agent.getSnapshot().items.at(-1)?.id ?? 0
}

function question(
  { changes, untouched }: RestorePlan,
  description: string,
  removedItems: number | null,
  otherFolders: readonly string[],
): string {
  const lines = [
    `Restore the files as they were ${description}?`,
    ...shorten(changes.map(({ kind, path }) => `  ${kind} ${showPath(path)}`)),
  ]
  if (changes.length === 0) lines.push('  No file has changed.')
  if (removedItems === null) lines.push('The conversation stays as it is: it cannot go back there.')
  else if (removedItems > 0)
    lines.push(`${describeCount(removedItems, 'later message')} of the conversation will be removed.`)
  const kept = untouched.filter(({ reason }) => reason !== 'secret')
  if (kept.length > 0)
    lines.push(
      'Not covered, so they stay as they are:',
      ...shorten(kept.map(({ path, reason }) => `  ${showPath(path)} (${reasons[reason]})`)),
    )
  if (otherFolders.length > 0) lines.push(`Folders outside are not covered: ${otherFolders.join(', ')}`)
  lines.push('The current files are saved first, so that this can be undone.')
  return lines.join('\n')
}

const reasons: Readonly<Record<UncoveredReason, string>> = {
  'nested-repository': 'a repository of its own',
  'too-large': 'too large',
  secret: 'may contain secrets',
  special: 'not a regular file',
  unreadable: 'cannot be read',
  ignored: 'ignored',
}

function describeResult(
  { checkpoint, changes }: RestorePlan,
  failed: readonly FailedPath[],
  before: number,
): string {
  const restored = describeCount(changes.length - failed.length, 'file')
  const lines = [`Restored ${restored} from checkpoint ${checkpoint.number}. To undo it: /restore ${before}`]
  if (failed.length > 0)
    lines.push(
      `${describeCount(failed.length, 'file')} could not be restored:`,
      ...shorten(failed.map(({ path, message }) => `  ${showPath(path)}: ${message}`)),
    )
  return lines.join('\n')
}

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= maxShown) return [...lines]
  return [...lines.slice(0, maxShown), `  ... and ${lines.length - maxShown} more`]
}
