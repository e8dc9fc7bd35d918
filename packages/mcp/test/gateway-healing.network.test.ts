import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSecretStore } from '@curfew/extensions'
import type { Client, ClientOptions } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { type Home, startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'

const newKey = 'right-4b1d0f7e92ac6538'
const act = 'mcp__hostile__act'

/** A home whose server `hostile` requires a key, and a store with `key`, if any. */
async function keyedHome(mode: string, key: string | null, use = 'tool:mcp__hostile'): Promise<Home> {
  const home = await hostileHome(mode, { env: { KEY: 'secret:TEST_KEY' }, trust: true, timeout: 30_000 })
  onTestFinished(() => home[Symbol.asyncDispose]())
  const keyFile = join(home.folder, 'key')
  await writeFile(keyFile, Buffer.alloc(32, 'key'), { mode: 0o600 })
  Object.assign(home.env, { CURFEW_SECRET_STORE: 'file', CURFEW_KEY_FILE: keyFile })
  if (key !== null) await (await storeOf(home)).set('TEST_KEY', { value: key, uses: [use] })
  return home
}

const storeOf = (home: Home) =>
  openSecretStore({ root: join(home.folder, '.config', 'curfew'), env: home.env })

/** A client that opens the page for a secret and enters the key. */
function typing(...keys: readonly string[]): Typing {
  const pages: string[] = []
  const ids: string[] = []
  const prepare = (client: Client): void =>
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const { url, elicitationId } = params as { url: string; elicitationId: string }
      ids.push(elicitationId)
      const secret = keys[pages.length] ?? keys.at(-1)!
      pages.push(await (await fetch(url)).text())
      const body = new URLSearchParams({ secret, action: 'save' })
      await fetch(url, { method: 'POST', body, headers: { Origin: new URL(url).origin } })
      return { action: 'accept' }
    })
  return { pages, ids, options: { capabilities: { elicitation: { url: {} } }, prepare } }
}

interface Typing {
  readonly pages: readonly string[]
  /** The ids of the elicitations. */
  readonly ids: readonly string[]
  readonly options: ClientOptions & { readonly prepare: (client: Client) => void }
}

test('two questions in one call have different ids', async () => {
  const home = await keyedHome('checks-its-key', 'an-old-key')
  const { ids, options } = typing('a-wrong-key', newKey)
  // 2026 clients get no ids.
  const era: ClientOptions = { versionNegotiation: { mode: 'legacy' } }
  await using gateway = await startGateway(home, { ...era, ...options })
  expect(await call(gateway, act)).toMatchObject({ isError: false })
  expect(new Set(ids).size).toBe(2)
})

describe.each<[string, ClientOptions]>([
  ['2025-11-25', { versionNegotiation: { mode: 'legacy' } }],
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
])('a client of %s', (_, era) => {
  test('enters the key that a server rejected; the call is repeated, and other calls complete on the old process', async () => {
    const home = await keyedHome('checks-its-key', 'an-old-key')
    const { pages, options } = typing(newKey)
    await using gateway = await startGateway(home, { ...era, ...options })
    const release = join(home.folder, 'release')
    const pending = call(gateway, act, { params: { pad: `hold:${release}` } })
    await until(() => recorded(home, 'tools/call').length === 1)
    const healed = await call(gateway, act)
    const [before, after] = recorded(home, 'start').map(({ pid }) => pid)
    expect(healed).toMatchObject({ isError: false, text: `done by ${after}` })
    expect(pages).toHaveLength(1)
    expect(pages[0]).toContain('your MCP server hostile')
    await writeFile(release, '')
    expect(await pending).toMatchObject({ isError: false, text: `done by ${before}` })
    expect(await (await storeOf(home)).get('TEST_KEY')).toEqual({
      value: newKey,
      uses: ['tool:mcp__hostile'],
    })
    expect(gateway.stderr()).not.toContain(newKey)
  })

  test('enters the key of a server that was never started', async () => {
    const home = await keyedHome('checks-its-key', null)
    const { pages, options } = typing(newKey)
    await using gateway = await startGateway(home, { ...era, ...options })
    expect(await call(gateway, act)).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^done by/),
    })
    expect(pages).toHaveLength(1)
    expect(recorded(home, 'start')).toHaveLength(1)
  })
})

test('a key that a server requires to start is requested, and the server is restarted', async () => {
  const home = await keyedHome('starts-only-with-its-key', 'an-old-key')
  const { pages, options } = typing(newKey)
  await using gateway = await startGateway(home, options)
  await gateway.client.listTools()
  await until(() => gateway.stderr().includes('was rejected'))
  expect(await call(gateway, act)).toMatchObject({ isError: false, text: 'done' })
  expect(pages).toHaveLength(1)
  expect(pages[0]).toContain('invalid API key')
})

test("a client without elicitation gets the server's message and how to store the key", async () => {
  const home = await keyedHome('checks-its-key', 'an-old-key')
  await using gateway = await startGateway(home)
  const rejected = await call(gateway, act)
  expect(rejected).toMatchObject({ isError: true, code: 'CREDENTIAL_REQUIRED', details: { key: 'TEST_KEY' } })
  expect(rejected.text).toContain('the API key is not valid')
  expect(rejected.text).toContain('curfew secret set TEST_KEY --for mcp__hostile')
  expect(recorded(home, 'start')).toHaveLength(1)
})

test("a project's server does not get the key of the user's server with the same name; the page names the project", async () => {
  const home = await keyedHome('checks-its-key', newKey)
  const folder = await realpath(home.folder)
  await mkdir(join(folder, '.curfew'))
  await rename(join(folder, '.config', 'curfew', 'mcp.json'), join(folder, '.curfew', 'mcp.json'))
  Object.assign(home.env, { CURFEW_TRUST: '1' })
  const { pages, options } = typing('right-too')
  await using gateway = await startGateway(home, options)
  // Using the other key would require a form, which this client does not support.
  await expect(call(gateway, act)).rejects.toThrow(
    /may not use the secret TEST_KEY: it was stored for your MCP server/,
  )
  expect(pages).toEqual([])
  const store = await storeOf(home)
  await store.remove('TEST_KEY')
  expect(await call(gateway, act)).toMatchObject({ isError: false })
  expect(pages[0]).toContain(`the MCP server hostile of ${folder}`)
  const use = `tool:mcp__hostile@${folder}/.curfew`
  expect(await store.get('TEST_KEY')).toEqual({ value: 'right-too', uses: [use] })
  expect(await readFile(join(folder, '.config', 'curfew', 'secrets.json'), 'utf8')).not.toContain('right')
})
