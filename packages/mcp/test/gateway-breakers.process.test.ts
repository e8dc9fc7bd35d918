import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Gateway, type Home, startGateway } from './helpers/gateway.ts'
import { call, hostileHome } from './helpers/hostile.ts'
import { knownTools, stillFine } from './helpers/stage.ts'

/** A tool's breaker opens at the second failure and stays open. */
async function homeWithBreaker(mode: string, timeout = 20_000): Promise<Home> {
  const home = await hostileHome(mode, { timeout })
  const breaker = { failures: 2, cooldown: '10m' }
  await writeFile(join(home.folder, '.config', 'curfew', 'config.json'), JSON.stringify({ breaker }))
  return home
}

async function codesOf(gateway: Gateway, times: number): Promise<(string | undefined)[]> {
  const codes: (string | undefined)[] = []
  for (let i = 0; i < times; i++)
    codes.push((await call(gateway, 'mcp__hostile__act', { params: { pad: `${i}` } })).code)
  return codes
}

test('the breaker of a tool that keeps timing out opens, but not those of other tools', async () => {
  await using home = await homeWithBreaker('never-answers', 1_500)
  await using gateway = await startGateway(home)
  await knownTools(gateway)
  await stillFine(gateway)
  expect(await codesOf(gateway, 3)).toEqual(['TOOL_TIMEOUT', 'TOOL_TIMEOUT', 'CIRCUIT_OPEN'])
  await stillFine(gateway)
})

test('a tool that crashes its server opens only its own breaker', async () => {
  await using home = await homeWithBreaker('exits-in-call')
  await using gateway = await startGateway(home)
  await stillFine(gateway)
  expect(await codesOf(gateway, 3)).toEqual(['TRANSPORT_FAILED', 'TRANSPORT_FAILED', 'CIRCUIT_OPEN'])
  await stillFine(gateway)
})

test('invalid results do not open a breaker', async () => {
  await using home = await homeWithBreaker('invalid-result')
  await using gateway = await startGateway(home)
  expect(await codesOf(gateway, 4)).toEqual(Array(4).fill('INVALID_RESULT'))
  await stillFine(gateway)
})
