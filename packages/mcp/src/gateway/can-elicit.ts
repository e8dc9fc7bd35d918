import type { ClientCapabilities } from '@modelcontextprotocol/server'

/** Whether a client can put such a question to a person: in a form, or on a page. Who says no more than that it can has forms. */
export function canElicit({ elicitation }: ClientCapabilities, mode: 'form' | 'url'): boolean {
  if (elicitation === undefined) return false
  if (mode === 'url') return elicitation.url !== undefined
  return elicitation.form !== undefined || elicitation.url === undefined
}
