import { RequestError, type SessionModeState } from '@agentclientprotocol/sdk'
import type { AgentMode } from '@curfew/agent'

const modes: Readonly<Record<AgentMode, { readonly name: string; readonly description: string }>> = {
  plan: { name: 'Plan', description: 'Only tools that change nothing run' },
  ask: { name: 'Ask', description: 'The rules decide; other calls need approval' },
  'accept-edits': { name: 'Accept edits', description: 'Edits of files run without approval' },
}

export function modeState(currentModeId: AgentMode): SessionModeState {
  const availableModes = Object.entries(modes).map(([id, mode]) => ({ id, ...mode }))
  return { currentModeId, availableModes }
}

export function readMode(id: string): AgentMode {
  if (Object.hasOwn(modes, id)) return id as AgentMode
  const known = Object.keys(modes).join(', ')
  throw RequestError.invalidParams(undefined, `modeId: expected one of ${known}, got ${JSON.stringify(id)}`)
}
