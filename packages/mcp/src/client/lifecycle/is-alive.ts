import type { Clock } from '@curfew/core/internal'
import type { Client } from '@modelcontextprotocol/client'
import { noSdkTimeout } from '../../async/no-sdk-timeout.ts'

export const aliveTimeoutMs = 5_000

/** Returns false if a server does not answer a ping in time. A server that has exited or rejects the ping is not hanging. */
export async function isAlive(client: Client, clock: Clock): Promise<boolean> {
  const limit = new AbortController()
  const timer = clock.setTimer(aliveTimeoutMs, () => limit.abort())
  const options = { signal: limit.signal, timeout: noSdkTimeout }
  try {
    // The 2026 protocol has no ping.
    await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options))
    return true
  } catch {
    return !limit.signal.aborted
  } finally {
    clock.clearTimer(timer)
  }
}
