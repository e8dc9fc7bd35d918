import type { Conversation } from '@curfew/core'
import { estimateTools } from './estimate-tokens.ts'

/** Models choose worse among more tools than this. */
const maxTools = 40
/** Of the context window, for the list of tools. */
const maxShare = 1 / 10

/**
 * Lists large sets of tools as stubs: more than 40 tools besides those that are always loaded, or a list that needs more than a tenth of
 * the context window.
 */
export function chooseView(conversation: Conversation, contextWindow: number | null): void {
  const stubs = new Set(
    conversation
      .listTools('stub')
      .filter(({ parameters }) => parameters === undefined)
      .map(({ name }) => name),
  )
  const list = conversation.listTools('brief').filter(({ name }) => stubs.has(name))
  const isLarge = contextWindow !== null && estimateTools(list) > contextWindow * maxShare
  if (list.length > maxTools || isLarge) conversation.setView('stub')
}
