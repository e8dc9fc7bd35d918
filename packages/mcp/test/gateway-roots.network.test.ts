import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { expect, test, vi } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { createHome, type Home } from './helpers/gateway.ts'
import {
  type HttpClientOptions,
  type HttpGateway,
  legacy,
  modern,
  startHttpGateway,
  textOf,
} from './helpers/http-gateway.ts'
import { knownTools } from './helpers/stage.ts'

// A 2026 client has no session, so each of its calls starts a process.
vi.setConfig({ testTimeout: 90_000 })

const require = createRequire(import.meta.url)
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/package.json')

/** The reference file server, which keeps the roots that it got, and folders with a secret in each. */
function filesHome(names: readonly string[]): Promise<Home> {
  return createHome(({ folder, tag }) => {
    for (const name of [...names, 'default']) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'secret.txt'), `secret of ${name}`)
    }
    const program = join(dirname(filesystem), 'dist', 'index.js')
    const args = [program, join(folder, 'default')]
    return { files: { command: process.execPath, args, env: { TEST_TAG: tag } } }
  })
}

/** A client whose only root is the folder `name`. */
async function connectWith(
  gateway: HttpGateway,
  home: Home,
  name: string,
  options: HttpClientOptions,
): Promise<Client> {
  return await gateway.connect({
    ...options,
    capabilities: { roots: { listChanged: true } },
    prepare: (client) =>
      client.setRequestHandler('roots/list', async () => ({
        roots: [{ uri: `file://${join(home.folder, name)}` }],
      })),
  })
}

/**
 * The secrets that a client can read. Those of others must be denied immediately; for its own, a server that was just started
 * may need a moment to apply the roots.
 */
async function readable(
  client: Client,
  home: Home,
  names: readonly string[],
  own: string,
): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    const path = join(home.folder, name, 'secret.txt')
    const read = async (): Promise<boolean> => {
      const text = await textOf(client, 'mcp__files__read_text_file', { path })
      if (text !== `secret of ${name}`) expect(text).toContain('Access denied')
      return text === `secret of ${name}`
    }
    if (name === own ? await until(read) : await read()) found.push(name)
  }
  return found
}

const names = ['a', 'b', 'c']

test('each HTTP client reads only its own roots, sequentially and concurrently', async () => {
  await using home = await filesHome(names)
  await using gateway = await startHttpGateway(home)
  const clients = await Promise.all(
    names.map((name, index) => connectWith(gateway, home, name, index % 2 === 0 ? legacy : modern)),
  )
  for (const [index, client] of clients.entries())
    expect(await readable(client, home, names, names[index]!)).toEqual([names[index]])
  const all = await Promise.all(clients.map((client, index) => readable(client, home, names, names[index]!)))
  expect(all).toEqual(names.map((name) => [name]))
})

test('a known server that is started by concurrent calls serves each client its own roots', async () => {
  await using home = await filesHome(names)
  {
    await using gateway = await startHttpGateway(home)
    await knownTools({ client: await gateway.connect() }, ['files'])
  }
  await using gateway = await startHttpGateway(home)
  const clients = await Promise.all(names.map((name) => connectWith(gateway, home, name, legacy)))
  const all = await Promise.all(clients.map((client, index) => readable(client, home, names, names[index]!)))
  expect(all).toEqual(names.map((name) => [name]))
})

test('a client without roots cannot read the roots of another', async () => {
  await using home = await filesHome(names)
  await using gateway = await startHttpGateway(home)
  const everything = [...names, 'default']
  for (const options of [legacy, modern]) {
    const rootless = await gateway.connect(options)
    expect(await readable(rootless, home, everything, 'default')).toEqual(['default'])
    const client = await connectWith(gateway, home, 'a', options)
    expect(await readable(client, home, everything, 'a')).toEqual(['a'])
    expect(await readable(rootless, home, everything, 'default')).toEqual(['default'])
    expect(await readable(client, home, everything, 'a')).toEqual(['a'])
  }
})

test('changed roots of a client are applied, and others keep theirs', async () => {
  await using home = await filesHome(names)
  await using gateway = await startHttpGateway(home)
  const other = await connectWith(gateway, home, 'b', legacy)
  let name = 'a'
  const client = await gateway.connect({
    ...legacy,
    capabilities: { roots: { listChanged: true } },
    prepare: (client) =>
      client.setRequestHandler('roots/list', async () => ({
        roots: [{ uri: `file://${join(home.folder, name)}` }],
      })),
  })
  expect(await readable(client, home, names, 'a')).toEqual(['a'])
  expect(await readable(other, home, names, 'b')).toEqual(['b'])
  name = 'c'
  await client.sendRootsListChanged()
  await expect.poll(() => readable(client, home, names, 'c'), { timeout: 20_000 }).toEqual(['c'])
  expect(await readable(other, home, names, 'b')).toEqual(['b'])
})
