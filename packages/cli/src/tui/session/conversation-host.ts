import { type CommandHost, listSessions } from '@curfew/agent'
import type { OpenedAgent } from '../../agent/open-agent.ts'
import { describeSession, type SessionChoice } from '../../sessions/choose-session.ts'
import { stateHome } from '../../state-home.ts'

interface ConversationHostOptions {
  /** The open agent. */
  opened(): OpenedAgent | null
  /** Closes the conversation and opens another one. */
  reopen(choice: SessionChoice): Promise<void>
  quit(): void
}

/** Commands that need more than an agent: they replace the conversation, ask for a secret, or end the program. */
export function conversationHost({ opened, reopen, quit }: ConversationHostOptions): Partial<CommandHost> {
  return {
    quit,
    sessions: {
      async list() {
        const sessions = await listSessions({ folder: stateHome(), project: opened()!.projectFolder })
        return sessions.map((session) => ({ id: session.id, description: describeSession(session) }))
      },
      async resume(id) {
        await reopen({ resume: id, continue: false })
        return { type: 'none' }
      },
    },
    async clear() {
      await reopen({ resume: undefined, continue: false })
      return { type: 'none' }
    },
    async storeSecret(key, signal) {
      const result = await opened()?.agent.runAsPerson({ name: 'store_secret', params: { key } }, { signal })
      return result?.status === 'success'
    },
  }
}
