import type { ConversationOptions } from '@curfew/core'
import type { AgentOptions } from './agent-options.ts'

/** Of a batch, for the list of checkpoints. */
const maxCalls = 20

/**
 * The conversation's `beforeChanges`: takes a checkpoint once per batch. It only reads the history, when it is called, and never changes it,
 * so saving a checkpoint cannot cause another one.
 */
export function takeCheckpoints(
  { checkpoints, conversation, runtime }: AgentOptions,
  position: () => number,
  report: (error: unknown) => void,
): ConversationOptions['beforeChanges'] {
  if (checkpoints === undefined) return conversation?.beforeChanges
  return async (context) => {
    await conversation?.beforeChanges?.(context)
    const calls = runtime.getSnapshot().calls.filter(({ batch }) => batch === context.batch)
    const followedBy = calls.map(({ name, args }) => (args === '' ? name : `${name} ${args}`))
    try {
      await checkpoints.take({
        position: position(),
        followedBy: followedBy.slice(0, maxCalls),
        signal: context.signal,
      })
    } catch (error) {
      // A call must not fail because its effect cannot be undone.
      report(error)
    }
  }
}
