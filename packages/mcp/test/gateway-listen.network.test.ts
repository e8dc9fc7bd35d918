import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { startGateway } from './helpers/gateway.ts'
import { call } from './helpers/hostile.ts'
import { thirdPartyHome } from './helpers/third-party.ts'

test('a 2026 client is notified of a resource change at a 2025 server', async () => {
  await using home = await thirdPartyHome()
  const updated: string[] = []
  await using gateway = await startGateway(home, {
    versionNegotiation: { mode: 'auto' },
    prepare(client) {
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updated.push(params.uri),
      )
    },
  })
  const { client } = gateway
  expect(client.getProtocolEra()).toBe('modern')
  const [resource] = (await client.listResources()).resources
  const subscription = await client.listen({ resourceSubscriptions: [resource!.uri] })
  await call(gateway, 'mcp__everything__toggle-subscriber-updates')
  await until(() => updated.length > 0, 60_000)
  expect(updated).toContain(resource!.uri)
  await subscription.close()
})
