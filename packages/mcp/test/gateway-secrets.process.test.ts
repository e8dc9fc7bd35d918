import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { startGateway } from './helpers/gateway.ts'
import { call, hostileHome } from './helpers/hostile.ts'
import { knownTools } from './helpers/stage.ts'

test("a server's secrets are redacted in everything that it sends", async () => {
  const key = 'canary-4b1d0f7e92ac6538'
  await using home = await hostileHome(['reveals-its-key', 'cannot-use-its-key'], {
    env: { KEY: 'secret:TEST_KEY' },
  })
  Object.assign(home.env, { TEST_KEY: key })
  const received: unknown[] = []
  const gateway = await startGateway(home, {
    args: ['--view', 'full'],
    prepare(client) {
      client.setNotificationHandler('notifications/message', ({ params }) => void received.push(params))
    },
  })
  const { client } = gateway
  await knownTools(gateway, ['reveals-its-key'])
  const responses: unknown[] = [await client.listTools()]
  const act = (pad: string): Promise<unknown> =>
    call(gateway, 'mcp__reveals-its-key__act', {
      params: { pad },
      onprogress: (progress) => void received.push(progress),
    }).catch((error: { message: string; data: unknown }) => [error.message, error.data])
  for (const pad of ['', 'reject', 'fail', 'die']) responses.push(await act(pad))
  const unusable = { name: 'mcp__cannot-use-its-key__act' }
  responses.push(await client.callTool(unusable).catch(({ message }: Error) => message))
  await until(() => received.length >= 4)
  await gateway.close()
  const folder = join(home.folder, '.config', 'curfew', 'mcp')
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  for (const text of [...responses, ...received, gateway.stderr(), files].map((part) =>
    JSON.stringify(part),
  )) {
    expect(text).not.toContain(key)
  }
  for (const part of [responses[0], ...responses.slice(2), files])
    expect(JSON.stringify(part)).toContain('[secret TEST_KEY]')
  expect(received.length).toBeGreaterThanOrEqual(4)
})
