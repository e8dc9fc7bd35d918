import type { Clock } from '@curfew/core/internal'
import type { Client } from '@modelcontextprotocol/client'
import { noSdkTimeout } from '../../async/no-sdk-timeout.ts'

/** A server that is alive says so within that, whatever else it does. */
export const aliveTimeoutMs = 5_000

/** False if a server does not answer the simplest of questions. One that is gone, or refuses, is not silent. */
export async function isAlive(client: Client, clock: Clock): Promise<boolean> {
  const limit = new AbortController()
  const timer = clock.setTimer(aliveTimeoutMs, () => limit.abort())
  const options = { signal: limit.signal, timeout: noSdkTimeout }
  try {
    // Since 2026 there is no ping.
    await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options))
    return true
  } catch {
    return !limit.signal.aborted
  } finally {
    clock.clearTimer(timer)
  }
}
