import type { OpenedAgent } from '../../agent/open-agent.ts'
import type { SessionChoice } from '../../sessions/choose-session.ts'

/** Closes a conversation and opens another one. If that fails, the first one is opened again before the error is thrown. */
export async function replaceConversation(
  opened: OpenedAgent | null,
  choice: SessionChoice,
  open: (choice: SessionChoice) => Promise<void>,
): Promise<void> {
  const isSaved = opened !== null && opened.agent.getSnapshot().items.length > 0
  await opened?.close()
  try {
    await open(choice)
  } catch (error) {
    await open({ resume: isSaved ? opened.session?.id : undefined, continue: false })
    throw error
  }
}
