import type { ClientCapabilities } from '@modelcontextprotocol/server'

/** Whether a client can ask a person with a form or with a URL. A client that declares neither mode supports forms. */
export function canElicit({ elicitation }: ClientCapabilities, mode: 'form' | 'url'): boolean {
  if (elicitation === undefined) return false
  if (mode === 'url') return elicitation.url !== undefined
  return elicitation.form !== undefined || elicitation.url === undefined
}
