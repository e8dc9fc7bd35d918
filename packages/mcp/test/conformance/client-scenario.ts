import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tool } from '@modelcontextprotocol/client'
import { createSignIn } from '../../src/client/oauth/create-sign-in.ts'
import { ServerState } from '../../src/client/state/server-state.ts'
import { Upstream } from '../../src/client/upstream.ts'
import { type ServerConfig, serverDefaults } from '../../src/config/server-config.ts'

/** The suite's input for a client. */
export interface Scenario {
  readonly url: string
  readonly context: {
    readonly toolCalls?: readonly Call[]
    /** A client that was registered manually. */
    readonly client_id?: string
    readonly client_secret?: string
  }
}

interface Call extends Record<string, unknown> {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

/** Connects as `curfew mcp` does, and uses everything that the server offers. */
export async function playScenario(scenario: Scenario): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-scenario-'))
  const config = configFor(scenario, folder)
  const upstream = new Upstream(config, {
    state: await ServerState.open(folder, config),
    readSecret: async () => scenario.context.client_secret!,
    signIn: signInFor(scenario),
    bridge: {
      capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
      request: async () => ({ action: 'accept', content: {} }),
    },
    log: () => {},
  })
  try {
    await useEverything(upstream, scenario)
  } finally {
    await upstream.close()
    await rm(folder, { recursive: true })
  }
}

async function useEverything(upstream: Upstream, { context }: Scenario): Promise<void> {
  const signal = AbortSignal.timeout(60_000)
  const ask = (method: string, params: Record<string, unknown>): Promise<unknown> =>
    upstream.request({ method, params }, { signal })
  await upstream.connect(signal)
  const { tools, resources, prompts } = await upstream.refresh(signal)
  for (const call of context.toolCalls ?? tools.map(callOf)) await ask('tools/call', call)
  for (const { uri } of resources) await ask('resources/read', { uri })
  for (const { name } of prompts) await ask('prompts/get', { name })
}

function configFor({ url, context }: Scenario, root: string): ServerConfig {
  const oauth = {
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(context.client_id !== undefined && { clientId: context.client_id }),
    ...(context.client_secret !== undefined && { clientSecret: [{ secret: 'CLIENT_SECRET' }] }),
  }
  return {
    name: 'conformance',
    file: join(root, 'mcp.json'),
    root,
    target: { kind: 'http', url, headers: {}, oauth },
    ...serverDefaults,
    startTimeoutMs: 60_000,
  }
}

function signInFor({ context }: Scenario): ReturnType<typeof createSignIn> {
  const tokens = new Map<string, string | null>()
  return createSignIn({
    store: {
      read: async ({ url }) => tokens.get(url) ?? null,
      write: async ({ url }, value) => void tokens.set(url, value),
    },
    readSecret: async () => context.client_secret!,
    // Replaces a person with a browser.
    prompt: { agree: async () => true, open: async (page) => (await fetch(page.url)).ok },
    fetchAllow: async () => ['localhost', '127.0.0.1'],
  })
}

function callOf({ name, inputSchema }: Tool, _: number, [first]: readonly Tool[]): Call {
  const properties = Object.entries(inputSchema.properties ?? {})
  const args = Object.fromEntries(properties.map(([key, schema]) => [key, sampleOf(schema)]))
  // One scenario checks the schema of another tool as it was received.
  return { name, arguments: 'schema' in args ? { ...args, schema: first?.inputSchema } : args }
}

function sampleOf(schema: unknown): unknown {
  const { type = 'string' } = Object(schema) as { type?: string }
  return { integer: 1, number: 1, boolean: true, array: [], object: {}, null: null }[type] ?? 'text'
}
