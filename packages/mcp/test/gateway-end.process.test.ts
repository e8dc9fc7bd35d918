import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { curfew } from './helpers/gateway.ts'
import { hostileHome, recorded } from './helpers/hostile.ts'

test.for([
  ['closes its stdin', 'end'],
  ['sends a signal', 'kill'],
] as const)('the gateway exits if a client that reads no responses %s', async ([, way]) => {
  await using home = await hostileHome('healthy')
  const gateway = spawn(process.execPath, [curfew, 'mcp'], {
    env: home.env,
    cwd: home.folder,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const send = (message: object): boolean =>
    gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'silent', version: '1' }
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  })
  const params = { name: 'mcp__healthy__echo', arguments: { text: 'x'.repeat(1 << 20) } }
  for (const id of [2, 3]) send({ id, method: 'tools/call', params })
  await until(() => recorded(home, 'tools/call', 'healthy').length === 2, 20_000)
  const ended = once(gateway, 'exit')
  if (way === 'end') gateway.stdin.end()
  else gateway.kill('SIGTERM')
  const timer = setTimeout(() => gateway.kill('SIGKILL'), 10_000)
  expect(await ended).toEqual([0, null])
  clearTimeout(timer)
})
