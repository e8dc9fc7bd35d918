import { type AskedProcess, askProcesses } from '@curfew/journal'
import { stateHome } from '../state-home.ts'
import { oneLine } from '../terminal.ts'
import { writeError } from '../write.ts'

export interface GatewayRequest<T> {
  readonly method: string
  readonly params?: object
  readonly read: (result: unknown) => T | null
  readonly timeoutMs?: number
}

/** Sends a request to all gateways of this user, whichever project they were started in. */
export async function askGateways<T extends { readonly run: string }>(
  request: GatewayRequest<T>,
): Promise<readonly AskedProcess<T>[]> {
  return await askProcesses({
    stateFolder: stateHome(),
    project: null,
    program: 'mcp',
    warn: (message) => writeError(`warning: ${oneLine(message)}\n`),
    ...request,
  })
}
