import { expect } from 'vitest'
import { untilNoneLeft } from '../../../../test/support/processes.ts'
import { until } from '../../../../test/support/until.ts'
import { type Gateway, type GatewayOptions, type Home, startGateway } from './gateway.ts'
import { type CallOptions, call, type Ended, hostileHome, meanwhile, recorded } from './hostile.ts'

export const limitMs = 1_500
/** The grace period of a call, plus the delay of a busy machine. */
export const slackMs = 20_000
/** How long other servers may take while one misbehaves. */
export const waitMs = 20_000

export interface Stage {
  readonly home: Home
  readonly gateway: Gateway
}

/** Runs a test with a gateway in front of a hostile and a healthy server. No process may be left at the end. */
export async function stage(
  modes: string | readonly string[],
  scene: (stage: Stage) => Promise<void>,
  settings: object = {},
  options: GatewayOptions = {},
): Promise<void> {
  await using home = await hostileHome(modes, settings)
  await perform(home, scene, options)
}

export async function perform(
  home: Home,
  scene: (stage: Stage) => Promise<void>,
  options: GatewayOptions = {},
): Promise<void> {
  const gateway = await startGateway(home, options)
  try {
    await scene({ home, gateway })
    const { text } = await call(gateway, 'mcp__healthy__echo', { params: { text: 'still here' } })
    expect(text).toBe('still here')
  } finally {
    await gateway.close()
  }
  await untilNoneLeft(home.tag)
}

/** Starts the servers once with healthy behaviour, so that their tools are known, and then again for the test. */
export async function afterKnown(
  modes: string | readonly string[],
  scene: (stage: Stage) => Promise<void>,
  settings: object = {},
): Promise<void> {
  await using home = await hostileHome(modes, settings)
  await perform(home, async ({ gateway }) => {
    const servers = typeof modes === 'string' ? ['hostile'] : modes.map((mode) => mode.replace('then:', ''))
    const acts = (await knownTools(gateway, ['healthy', ...servers])).filter((name) => name.endsWith('__act'))
    expect(acts).toHaveLength(typeof modes === 'string' ? 2 : modes.length + 1)
  })
  await perform(home, scene)
}

/** Calls `act` while the healthy server is called repeatedly. The start is not measured. */
export async function act(gateway: Gateway, options: CallOptions = {}): Promise<Ended> {
  await knownTools(gateway)
  await call(gateway, 'mcp__healthy__fine')
  const { value, slowestMs } = await meanwhile(gateway, call(gateway, 'mcp__hostile__act', options))
  expect(slowestMs).toBeLessThan(waitMs)
  return value
}

export async function toolNames({ client }: Pick<Gateway, 'client'>): Promise<string[]> {
  const { tools } = await client.listTools({}, { cacheMode: 'bypass' })
  return tools.map(({ name }) => name)
}

/** The names of the tools, once these servers have some: the first list does not wait for slow servers. */
export async function knownTools(
  gateway: Pick<Gateway, 'client'>,
  servers: readonly string[] = ['healthy', 'hostile'],
): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const names = await toolNames(gateway)
    const hasTools = (server: string): boolean => names.some((name) => name.startsWith(`mcp__${server}__`))
    if (servers.every(hasTools) || attempt === 100) return names
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

export async function stillFine(gateway: Gateway): Promise<void> {
  expect(await call(gateway, 'mcp__hostile__fine')).toMatchObject({ isError: false, text: 'all is fine' })
}

/** The server got exactly one cancellation, for the right call. */
export async function expectCancelled(home: Home): Promise<void> {
  const acts = recorded(home, 'tools/call').filter(({ detail }) => detail?.name === 'act')
  await until(() => recorded(home, 'notifications/cancelled').length > 0)
  const cancelled = recorded(home, 'notifications/cancelled').map(({ detail }) => detail?.requestId)
  expect(cancelled).toEqual(acts.map(({ detail }) => detail?.id))
}
