/**
 * The program that the conformance suite starts to see our side of the protocol: it connects to the URL in its last
 * argument as `curfew mcp` would, and uses everything that it finds there.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tool } from '@modelcontextprotocol/client'
import { createSignIn } from '../../src/client/oauth/create-sign-in.ts'
import { ServerState } from '../../src/client/server-state.ts'
import { Upstream } from '../../src/client/upstream.ts'
import type { ServerConfig } from '../../src/config/server-config.ts'

const url = process.argv.at(-1)!
/** What the scenario tells its client: calls to make, or a client that was registered by hand. */
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[]
  readonly client_id?: string
  readonly client_secret?: string
}

const folder = await mkdtemp(join(tmpdir(), 'curfew-conformance-'))
const config: ServerConfig = {
  name: 'conformance',
  file: join(folder, 'mcp.json'),
  root: folder,
  target: {
    kind: 'http',
    url,
    headers: {},
    oauth: {
      clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
      ...(context.client_id !== undefined && { clientId: context.client_id }),
      ...(context.client_secret !== undefined && { clientSecret: [{ secret: 'CLIENT_SECRET' }] }),
    },
  },
  timeoutMs: undefined,
  idleTimeoutMs: undefined,
  startTimeoutMs: 20_000,
  trust: false,
  eager: false,
  include: null,
  exclude: [],
}
const readSecret = async (): Promise<string> => context.client_secret!
const tokens = new Map<string, string | null>()

const upstream = new Upstream(config, {
  state: await ServerState.open(folder, config),
  readSecret,
  signIn: createSignIn({
    store: {
      read: async (key) => tokens.get(key) ?? null,
      write: async (key, value) => void tokens.set(key, value),
    },
    readSecret,
    // In the place of a person with a browser.
    open: async (page) => (await fetch(page.url)).ok,
  }),
  bridge: {
    capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    request: async () => ({ action: 'accept', content: {} }),
  },
  log: (message) => console.error(message),
})

const signal = AbortSignal.timeout(25_000)
try {
  await upstream.connect(signal)
  await useEverything()
} finally {
  await upstream.close()
  await rm(folder, { recursive: true })
}

async function useEverything(): Promise<void> {
  const { tools, resources, prompts } = await upstream.refresh(signal)
  for (const call of context.toolCalls ?? tools.map(callOf)) await ask('tools/call', call)
  for (const { uri } of resources) await ask('resources/read', { uri })
  for (const { name } of prompts) await ask('prompts/get', { name })
}

async function ask(method: string, params: Record<string, unknown>): Promise<void> {
  await upstream.request({ method, params }, { signal })
}

function callOf({ name, inputSchema }: Tool): { name: string; arguments: Record<string, unknown> } {
  const properties = Object.entries(inputSchema.properties ?? {})
  return { name, arguments: Object.fromEntries(properties.map(([key, schema]) => [key, sampleOf(schema)])) }
}

function sampleOf(schema: unknown): unknown {
  const samples: Record<string, unknown> = {
    integer: 1,
    number: 1,
    boolean: true,
    array: [],
    object: {},
    null: null,
  }
  const { type } = Object(schema) as { type?: string }
  return Object.hasOwn(samples, type ?? '') ? samples[type!] : 'text'
}
