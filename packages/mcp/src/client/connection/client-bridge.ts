import type { ClientCapabilities } from '@modelcontextprotocol/client'

/** Answers the requests that a server sends to its client: elicitation, sampling and roots. */
export interface ClientBridge {
  readonly capabilities: ClientCapabilities
  request(
    method: BridgedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
}

export type BridgedMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

/** Every capability that can be forwarded. Servers list different tools depending on what their client supports. */
export const bridgedCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
}

/** Declares every capability, so that a server lists all its tools, but rejects its requests. */
export const unattendedBridge: ClientBridge = {
  capabilities: bridgedCapabilities,
  async request(method) {
    if (method === 'roots/list') return { roots: [] }
    throw new Error('no user is available to answer')
  },
}
