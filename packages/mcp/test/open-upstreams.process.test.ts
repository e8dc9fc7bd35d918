import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Vault } from '@curfew/core'
import { expect, onTestFinished, test } from 'vitest'
import { openUpstreams } from '../src/client/open-upstreams.ts'
import { loadServers } from '../src/config/load-servers.ts'
import { hostileHome, recorded } from './helpers/hostile.ts'

const key = 'canary-of-one-server'

test("a server's secrets are redacted in its own messages only", async () => {
  const home = await hostileHome('healthy', { env: { KEY: 'secret:TEST_KEY' } })
  onTestFinished(() => home[Symbol.asyncDispose]())
  const user = join(home.folder, '.config', 'curfew')
  const { servers } = await loadServers({ user, project: null, projectFolder: home.folder, problems: [] })
  const vault = { read: async () => ({ kind: 'found', value: key }) } as unknown as Vault
  const upstreams = await openUpstreams(servers, { stateFolder: join(user, 'mcp'), log: () => {}, vault })
  onTestFinished(async () => void (await Promise.all(upstreams.map((upstream) => upstream.close()))))
  const echo = async (server: string): Promise<string> => {
    const upstream = upstreams.find(({ name }) => name === server)!
    const request = { method: 'tools/call', params: { name: 'echo', arguments: { text: key } } }
    return JSON.stringify(await upstream.request(request, { signal: new AbortController().signal }))
  }
  expect(await echo('hostile')).toContain('[secret TEST_KEY]')
  expect(await echo('healthy')).toContain(key)
})

test("a key of another project's server is not used, and the error names both", async () => {
  const home = await hostileHome('healthy', { env: { KEY: 'secret:TEST_KEY' } })
  onTestFinished(() => home[Symbol.asyncDispose]())
  const roots = ['shop', 'other'].map((name) => join(home.folder, name, '.curfew'))
  const user = join(home.folder, '.config', 'curfew')
  const text = await readFile(join(user, 'mcp.json'), 'utf8')
  const connect = async (path: string): Promise<unknown> => {
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'mcp.json'), text)
    const project = { path, trusted: true }
    const { servers } = await loadServers({ user, project, projectFolder: dirname(path), problems: [] })
    const bound = `tool:mcp__hostile@${roots[0]}`
    const read = async (_name: string, use: string) =>
      use === bound ? { kind: 'found', value: key } : { kind: 'elsewhere', uses: [bound] }
    const vault = { read } as unknown as Vault
    const upstreams = await openUpstreams(servers, { stateFolder: join(user, 'mcp'), log: () => {}, vault })
    onTestFinished(async () => void (await Promise.all(upstreams.map((upstream) => upstream.close()))))
    return await upstreams.find(({ name }) => name === 'hostile')!.connect(new AbortController().signal)
  }
  await connect(roots[0]!)
  const [shop, other] = roots.map((root) => dirname(root))
  await expect(connect(roots[1]!)).rejects.toThrow(
    `requires the secret TEST_KEY, which was stored for the MCP server hostile of ${shop}; ` +
      `store it with: curfew secret set TEST_KEY --for 'mcp__hostile of ${other}'`,
  )
  expect(recorded(home, 'start')).toHaveLength(1)
})
