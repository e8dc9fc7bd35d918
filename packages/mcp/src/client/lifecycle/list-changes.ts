import { type Clock, messageOf } from '@curfew/core/internal'
import type { Client, SubscriptionFilter } from '@modelcontextprotocol/client'

export interface ListChangesOptions {
  readonly clock: Clock
  readonly log: (problem: string) => void
  /** How long the server may take to accept the subscription. */
  readonly timeoutMs: number
}

/** A stream that the server closes sooner than this is not reopened, to avoid an endless loop. */
const stableMs = 5_000

/**
 * Subscribes to changes of a 2026 server's lists; a 2025 server reports them unasked. Nothing waits for it: a server that never
 * accepts the subscription can be used nevertheless. Never rejects.
 */
export async function listenForListChanges(client: Client, options: ListChangesOptions): Promise<void> {
  const filter = filterFor(client)
  if (client.getProtocolEra() !== 'modern' || Object.keys(filter).length === 0) return
  const { clock, log, timeoutMs } = options
  const since = clock.now()
  try {
    const subscription = await client.listen(filter, { timeout: timeoutMs })
    const how = await subscription.closed
    if (client.transport === undefined) return
    if (how === 'remote' && clock.now() - since > stableMs) await listenForListChanges(client, options)
    else log('changes of its lists are no longer reported: the server ended the subscription')
  } catch (error) {
    if (client.transport !== undefined) log(`changes of its lists are not reported: ${messageOf(error)}`)
  }
}

/** Only the lists whose changes it reports. */
function filterFor(client: Client): SubscriptionFilter {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  }
}
