import { type Control, ControlError } from '@curfew/journal'
import { type Gateway, type Upstream, upstreamTools } from '@curfew/mcp'
import type { GatewayStatus, ServerReport } from './gateway-status.ts'

export interface GatewayInfo extends Pick<GatewayStatus, 'transport' | 'profile'> {
  /** The name of the run. */
  readonly run: () => string
  readonly url: () => string | null
  readonly heldBack: () => GatewayStatus['heldBack']
}

const maxMessage = 2_000
const maxNames = 100

/**
 * Adds what other processes of this user can request from a gateway: `servers` and `restart-server`. Approving a changed tool is not among
 * them: any program of the user can connect, also one that a model has started.
 */
export function addGatewayMethods(control: Control, gateway: Gateway, info: GatewayInfo): void {
  const { transport, profile } = info
  control.handle('servers', async (): Promise<GatewayStatus> => {
    // Something may have been approved.
    await Promise.all(gateway.upstreams.map((upstream) => upstream.recheck()))
    return {
      run: info.run(),
      transport,
      url: info.url(),
      profile,
      servers: gateway.upstreams.map((upstream) => report(gateway, upstream)),
      heldBack: info.heldBack(),
    }
  })
  control.handle('restart-server', async ({ server, file }) => {
    if (typeof server !== 'string' || typeof file !== 'string')
      throw new ControlError('INVALID_PARAMS', 'server, file: expected the name and the file of a server')
    // Another project may have a server with the same name.
    const isHere = gateway.upstreams.some(({ config }) => config.name === server && config.file === file)
    return { run: info.run(), restarted: isHere && (await gateway.restart(server)) }
  })
}

function report(gateway: Gateway, upstream: Upstream): ServerReport {
  const { config, listing, state: known } = upstream
  const all = gateway.connectionsTo(upstream).map(({ status }) => status)
  const running = all.filter(({ state }) => state === 'running')
  const { state, since } = running[0] ?? all.find((one) => one.state === 'starting') ?? all[0]!
  const [lastError = null] = all.flatMap((one) => one.lastError ?? []).sort((one, other) => other.at - one.at)
  return {
    name: config.name,
    kind: config.target.kind,
    file: config.file,
    state,
    since,
    pid: running[0]?.pid ?? null,
    instances: running.length,
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    tools: listing === null ? null : upstreamTools(upstream).length,
    changed: known.changed.slice(0, maxNames).map(({ name }) => name),
    added: known.added.slice(0, maxNames).map(({ name }) => name),
    updated: known.updated.slice(0, maxNames).map(({ name }) => name),
    lastError: lastError && { ...lastError, message: lastError.message.slice(0, maxMessage) },
  }
}
