import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

// Where this repository has the package.
const bench = createRequire(new URL('../../../bench/package.json', import.meta.url))
const folder = bench.resolve('mcp-proxy').replace(/dist.*/, '')
const passes = 'it passes calls on to servers, which decide what they take and return'

/**
 * One `mcp-proxy` for each server, as its README shows, and a client of the MCP SDK for each proxy.
 * `recommended`: `--requestTimeout`.
 * `best`: a limit for the connection as well, and no store of events.
 */
export default {
  name: 'mcp-proxy',
  version: () => JSON.parse(readFileSync(`${folder}package.json`)).version,
  features: {
    server: true,
    batch: true,
    cancel: true,
    function: passes,
    command: passes,
    api: passes,
    order: passes,
    approval: 'it asks nobody',
    conversation: 'it talks to no model',
    nesting: passes,
    resume: 'it talks to no model',
    list: 'it keeps no record of calls',
  },
  async open({ settings, limitMs, tools, toolServer, servers }) {
    const best = settings === 'best' ? ['--connectionTimeout', 5_000, '--no-eventStore'] : []
    const options = ['--server', 'stream', '--host', '127.0.0.1', '--requestTimeout', limitMs, ...best]
    const all = tools.length > 0 ? [toolServer, ...servers] : servers
    const proxies = new Map(await Promise.all(all.map(async (one) => [one.name, await start(one, options)])))

    async function call({ id, name, params }, signal) {
      const [server, tool] = name.includes('/') ? name.split('/') : [toolServer.name, name]
      try {
        const client = await proxies.get(server).client
        const request = { name: tool, arguments: JSON.parse(params) }
        const { content = [], isError = false } = await client.callTool(request, undefined, { signal })
        return { id, text: content.map(({ text = '' }) => text).join('\n'), isError }
      } catch (error) {
        return { id, text: String(error), isError: true }
      }
    }

    return {
      run: (calls, { signal }) => Promise.all(calls.map((one) => call(one, signal))),
      async close() {
        await Promise.all(Array.from(proxies.values(), ({ child }) => stop(child)))
      },
    }
  },
}

async function start({ command, args }, options) {
  const port = await freePort()
  const proxy = [`${folder}dist/bin/mcp-proxy.mjs`, '--port', port, ...options, '--', command, ...args]
  // It is killed when this process is, because the two are one product here.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, ...proxy], { stdio: 'ignore' })
  const client = connect(child, port)
  // A server that cannot be used is left out.
  await Promise.race([client.catch(() => {}), wait(10_000)])
  return { child, client }
}

async function connect(child, port) {
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/ping`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error('the proxy failed to start')
    await wait(50)
  }
  const client = new Client({ name: 'tool-torture', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  return client
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
