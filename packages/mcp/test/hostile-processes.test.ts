import { describe, expect, test } from 'vitest'
import { startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'
import { described, left, until } from './helpers/processes.ts'
import { act, stage, stillFine } from './helpers/stage.ts'

describe.concurrent('processes', () => {
  test.for(['daemon-at-start', 'daemon-in-call', 'ignores-sigterm'])('%s: nothing is left', (mode) =>
    stage(mode, async ({ home, gateway }) => {
      expect(await act(gateway)).toMatchObject({ isError: false, text: 'done' })
      if (mode.startsWith('daemon')) expect(recorded(home, 'daemon')).toHaveLength(1)
    }),
  )

  test.for(['daemon-at-start', 'ignores-sigterm', 'never-answers'])(
    '%s: the gateway is killed, and takes all with it',
    async (mode) => {
      await using home = await hostileHome(mode)
      const gateway = await startGateway(home)
      await stillFine(gateway)
      if (mode === 'never-answers') call(gateway, 'mcp__hostile__act').catch(() => {})
      await call(gateway, 'mcp__healthy__fine')
      expect(left(home.tag).length).toBeGreaterThan(2)
      process.kill(gateway.pid, 'SIGKILL')
      await until(() => left(home.tag).length === 0, 3_000)
      expect(described(left(home.tag))).toEqual([])
      await gateway.close()
    },
  )

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s to the gateway in mid-call: nothing is left',
    async (signal) => {
      await using home = await hostileHome('ignores-sigterm', { timeout: 20_000 })
      const gateway = await startGateway(home)
      await stillFine(gateway)
      process.kill(gateway.pid, signal)
      await until(() => left(home.tag).length === 0, 5_000)
      expect(described(left(home.tag))).toEqual([])
      await gateway.close()
    },
  )
})
