import { expect, test } from 'vitest'
import { startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'
import { knownTools } from './helpers/stage.ts'

const set = (...settings: string[]): { args: string[] } => ({
  args: settings.flatMap((text) => ['--set', text]),
})

test('settings apply to the tools of a server, which are listed with them', async () => {
  await using home = await hostileHome('never-answers')
  await using gateway = await startGateway(
    home,
    set(
      'tools.mcp__hostile__*.timeout=400ms',
      'tools.mcp__*.readOnly=true',
      'tools.mcp__healthy__act.approval=deny',
    ),
  )
  await knownTools(gateway)
  const timedOut = await call(gateway, 'mcp__hostile__act')
  expect(timedOut).toMatchObject({ code: 'TOOL_TIMEOUT', details: { limitMs: 400 } })
  expect(timedOut.text).toContain('tools.mcp__hostile__*.timeout in the configuration')
  expect(await call(gateway, 'mcp__healthy__act')).toMatchObject({ code: 'DENIED' })
  expect((await call(gateway, 'mcp__healthy__fine')).isError).toBe(false)
  const { tools } = await gateway.client.listTools()
  expect(tools.find(({ name }) => name === 'mcp__hostile__act')!.annotations).toMatchObject({
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
  })
}, 60_000)

test.each([
  [[], 1],
  [['tools.mcp__hostile__*.idempotent=true'], 2],
])(
  'a call whose server exited is retried only if it is idempotent: %j',
  async (settings, calls) => {
    await using home = await hostileHome('exits-in-call', { timeout: 30_000 })
    await using gateway = await startGateway(home, set(...settings))
    await knownTools(gateway)
    expect(await call(gateway, 'mcp__hostile__act')).toMatchObject({ isError: true })
    expect(recorded(home, 'tools/call')).toHaveLength(calls)
  },
  60_000,
)
