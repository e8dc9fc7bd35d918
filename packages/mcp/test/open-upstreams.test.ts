import { join } from 'node:path'
import type { Vault } from '@curfew/core'
import { expect, onTestFinished, test } from 'vitest'
import { openUpstreams } from '../src/client/open-upstreams.ts'
import { loadServers } from '../src/config/load-servers.ts'
import { hostileHome } from './helpers/hostile.ts'

const key = 'canary-of-one-server'

test('what a server was given is hidden in what it says itself, and in nothing that another says', async () => {
  const home = await hostileHome('healthy', { env: { KEY: 'secret:TEST_KEY' } })
  onTestFinished(() => home[Symbol.asyncDispose]())
  const user = join(home.folder, '.config', 'curfew')
  const { servers } = await loadServers({ user, project: null, problems: [] })
  const vault = { read: async () => ({ kind: 'found', value: key }) } as unknown as Vault
  const upstreams = await openUpstreams(servers, { stateFolder: join(user, 'mcp'), log: () => {}, vault })
  onTestFinished(async () => void (await Promise.all(upstreams.map((upstream) => upstream.close()))))
  const said = async (server: string): Promise<string> => {
    const upstream = upstreams.find(({ name }) => name === server)!
    const request = { method: 'tools/call', params: { name: 'echo', arguments: { text: key } } }
    return JSON.stringify(await upstream.request(request, { signal: new AbortController().signal }))
  }
  expect(await said('hostile')).toContain('[secret TEST_KEY]')
  expect(await said('healthy')).toContain(key)
})
