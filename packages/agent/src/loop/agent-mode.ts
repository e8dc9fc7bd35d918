import type { ConversationMode } from '@curfew/core'
import { unexpectedOption } from '@curfew/core/internal'

/** What a model may do without asking. Deny rules apply in every mode. */
export type AgentMode =
  /** Only read-only tools run. */
  | 'plan'
  /** The rules decide. */
  | 'ask'
  /** Edits run where only the default would ask. */
  | 'accept-edits'

export const defaultEdits: readonly string[] = ['write_file', 'edit_file']

/** The verdicts of a mode. Throws if there is no such mode. */
export function conversationMode(mode: AgentMode, edits: readonly string[]): ConversationMode {
  switch (mode) {
    case 'plan':
      return { name: mode, readOnly: true, advice: planAdvice }
    case 'ask':
      return { name: mode }
    case 'accept-edits':
      return { name: mode, allow: edits }
    default: {
      throw unexpectedOption('mode', 'one of plan, ask, accept-edits', mode)
    }
  }
}

const planAdvice =
  'Do not change anything: look around with read-only tools, and propose a plan. To carry it out, the person has to switch to the mode ask or accept-edits.'
