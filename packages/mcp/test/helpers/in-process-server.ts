import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Prompt, type Resource, Server, type Tool } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { type ServerConfig, serverDefaults } from '../../src/config/server-config.ts'
import { serveHttp } from '../../src/serve/serve-http.ts'

/** What the server offers; a test may change it at any time. */
export interface Offer {
  tools: Tool[]
  prompts: Prompt[]
  resources: Resource[]
  /** The structured content of every result. */
  structured?: unknown
}

export interface InProcessServer {
  readonly config: ServerConfig
  readonly offer: Offer
  /** The names of the tools, prompts and resources that were requested. */
  readonly requested: string[]
  /** Notifies the gateway that the lists have changed. */
  announce(): Promise<void>
}

/** A temporary folder, which is removed after the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-test-'))
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5 }))
  return folder
}

/** An MCP server in this process, over HTTP. It is closed after the test. */
export async function startInProcessServer(
  name: string,
  offered: Partial<Offer> = {},
  settings: Partial<ServerConfig> = {},
): Promise<InProcessServer> {
  const offer: Offer = { tools: [], prompts: [], resources: [], ...offered }
  const requested: string[] = []
  const servers = new Set<Server>()
  const createServer = (): Server => {
    const changing = { listChanged: true }
    const capabilities = {
      tools: changing,
      prompts: changing,
      resources: { ...changing, subscribe: true },
      completions: {},
      logging: {},
    }
    const server = new Server({ name, version: '1' }, { capabilities })
    server.setRequestHandler('tools/list', () => ({ tools: offer.tools }))
    server.setRequestHandler('prompts/list', () => ({ prompts: offer.prompts }))
    server.setRequestHandler('resources/list', () => ({ resources: offer.resources }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
    server.setRequestHandler('resources/subscribe', () => ({}))
    server.setRequestHandler('resources/unsubscribe', () => ({}))
    server.setRequestHandler('logging/setLevel', () => ({}))
    server.setRequestHandler('tools/call', ({ params }) => {
      requested.push(params.name)
      const { structured } = offer
      return {
        content: [{ type: 'text', text: `${name} ran ${params.name}` }],
        ...(structured !== undefined && { structuredContent: structured }),
      }
    })
    server.setRequestHandler('prompts/get', ({ params }) => {
      requested.push(params.name)
      return { messages: [{ role: 'user', content: { type: 'text', text: params.name } }] }
    })
    server.setRequestHandler('resources/read', ({ params }) => {
      requested.push(params.uri)
      return { contents: [{ uri: params.uri, text: name }] }
    })
    server.setRequestHandler('completion/complete', () => ({ completion: { values: [name] } }))
    servers.add(server)
    return server
  }
  const service = await serveHttp({
    createServer,
    host: '127.0.0.1',
    port: 0,
    token: null,
    onerror: () => {},
  })
  onTestFinished(() => service.close())
  const root = await testFolder()
  return {
    offer,
    requested,
    config: {
      ...serverDefaults,
      name,
      file: join(root, 'mcp.json'),
      root,
      target: { kind: 'http', url: service.url, headers: {}, oauth: undefined },
      ...settings,
    },
    async announce() {
      for (const notify of service.notifiers) {
        notify.toolsChanged()
        notify.promptsChanged()
        notify.resourcesChanged()
      }
      await Promise.all([...servers].map((server) => server.sendToolListChanged().catch(() => {})))
    },
  }
}

export function simpleTool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, description: `Do ${name}.`, inputSchema: { type: 'object' }, ...more }
}
