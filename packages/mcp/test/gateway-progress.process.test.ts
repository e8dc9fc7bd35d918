import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Progress } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'

test('heartbeats are sent as increasing progress', async () => {
  await using home = await hostileHome('never-answers')
  await writeFile(
    join(home.folder, '.config', 'curfew', 'config.json'),
    JSON.stringify({ heartbeat: '200ms' }),
  )
  await using gateway = await startGateway(home)
  const received: Progress[] = []
  const ended = await call(gateway, 'mcp__hostile__act', {
    onprogress: (progress) => received.push(progress),
  })
  expect(ended).toMatchObject({ isError: true, code: 'TOOL_TIMEOUT' })
  expect(ended.details).toMatchObject({ limitMs: 1_500, source: 'server', retrySafe: false })
  expect(received.length).toBeGreaterThan(2)
  for (const { message } of received)
    expect(message).toMatch(/^running name=mcp__hostile__act elapsed=\d+s\/2s$/)
  expect(gateway.stderr()).toContain(received[0]!.message)
  for (const [i, { progress }] of received.entries())
    if (i > 0) expect(progress).toBeGreaterThan(received[i - 1]!.progress)
})

test('a server gets the remaining time', async () => {
  await using home = await hostileHome('healthy')
  await using gateway = await startGateway(home)
  await call(gateway, 'mcp__hostile__echo', { params: { text: 'a' } })
  const [called] = recorded(home, 'tools/call') as unknown as { detail: { meta: Record<string, number> } }[]
  const remaining = called!.detail.meta['curfew/remaining-ms']!
  expect(remaining).toBeGreaterThan(0)
  expect(remaining).toBeLessThanOrEqual(1_500)
})
