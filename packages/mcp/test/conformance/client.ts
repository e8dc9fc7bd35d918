/**
 * The program that the conformance suite starts to see our side of the protocol: it connects to the URL in its last
 * argument as `curfew mcp` would, and uses everything that it finds there.
 */
import { Client, type Tool } from '@modelcontextprotocol/client'
import { connectHttp } from '../../src/client/http/connect-http.ts'
import { OAuthProvider } from '../../src/client/oauth/oauth-provider.ts'
import { OAuthSession } from '../../src/client/oauth/oauth-session.ts'

const url = process.argv.at(-1)!
/** What the scenario tells its client: calls to make, or a client that was registered by hand. */
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[]
  readonly client_id?: string
  readonly client_secret?: string
}

const saved = new Map<string, string | null>()
const provider = new OAuthProvider({
  serverName: 'conformance',
  url,
  store: {
    read: async (key) => saved.get(key) ?? null,
    write: async (key, value) => void saved.set(key, value),
  },
  clientId: context.client_id,
  clientSecret: context.client_secret,
  clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
})
const auth = new OAuthSession({
  provider,
  // In the place of a browser.
  open: async ({ url: page }) => (await fetch(page)).ok,
})

const client = new Client(
  { name: 'curfew', version: '0.1.0' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    versionNegotiation: { mode: 'auto' },
  },
)
client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }))
await connectHttp(client, { kind: 'http', url, headers: {}, auth })

const capabilities = client.getServerCapabilities() ?? {}
await client.listTools()
const { tools } = await client.listTools()
for (const call of context.toolCalls ?? tools.map(callOf)) await client.callTool(call)
if (capabilities.resources !== undefined) {
  for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri })
}
if (capabilities.prompts !== undefined) {
  for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name, arguments: {} })
}
await client.close()
process.exit(0)

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
  return samples[type ?? ''] ?? 'text'
}
