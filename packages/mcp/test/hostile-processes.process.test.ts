import { describe, expect, test } from 'vitest'
import { described, left, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { type Gateway, startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'
import { knownTools, stage } from './helpers/stage.ts'

const modes = ['daemon-at-start', 'daemon-in-call', 'ignores-sigterm', 'never-answers']

/** Starts all servers and calls `act` on each. */
async function begin(gateway: Gateway): Promise<void> {
  await knownTools(gateway, modes)
  await call(gateway, 'mcp__healthy__fine')
  call(gateway, 'mcp__never-answers__act').catch(() => {})
  for (const mode of modes.slice(0, 3)) {
    expect(await call(gateway, `mcp__${mode}__act`)).toMatchObject({ isError: false, text: 'done' })
  }
}

describe.concurrent('processes of servers', () => {
  test('none is left after the client has disconnected', () =>
    stage(
      modes,
      async ({ home, gateway }) => {
        await begin(gateway)
        // The gateway, five servers, two daemons of two of them.
        await until(() => left(home.tag).length >= 10)
        expect(described(left(home.tag)).length).toBeGreaterThanOrEqual(10)
        expect(recorded(home, 'daemon', 'daemon-in-call')).toHaveLength(1)
      },
      { timeout: 20_000 },
    ))

  test.for(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'nothing is left after %s',
    async (signal) => {
      await using home = await hostileHome(modes, { timeout: 20_000 })
      const gateway = await startGateway(home)
      await begin(gateway)
      process.kill(gateway.pid, signal)
      await untilNoneLeft(home.tag)
      await gateway.close()
    },
  )
})
