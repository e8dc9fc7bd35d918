import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { GatewayTarget } from './stage.ts'

/** A client library that is connected to the gateway, as the bench uses it. */
export interface ConnectedClient {
  list(): Promise<string[]>
  call(tool: string, args: Arguments, signal: AbortSignal | undefined): Promise<string>
  close(): Promise<void>
}

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url))

type Arguments = Readonly<Record<string, unknown>>
type Connect = (target: GatewayTarget) => Promise<ConnectedClient>

export const libraryNames = ['AI SDK', 'OpenAI Agents', 'LangChain', 'mcp-remote'] as const
export type LibraryName = (typeof libraryNames)[number]

export const libraryPackages: Readonly<Record<LibraryName, string>> = {
  'AI SDK': '@ai-sdk/mcp',
  'OpenAI Agents': '@openai/agents',
  LangChain: '@langchain/mcp-adapters',
  'mcp-remote': 'mcp-remote',
}

export const connectors: Readonly<Record<LibraryName, Connect>> = {
  'AI SDK': connectAiSdk,
  'OpenAI Agents': connectOpenAiAgents,
  LangChain: connectLangChain,
  'mcp-remote': connectThroughMcpRemote,
}

/** The libraries are installed separately, so their types are not available here; these are the parts that are used. */
const load = async <T>(module: string): Promise<T> => (await import(module)) as T

const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

const headers = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` })

async function connectAiSdk(target: GatewayTarget): Promise<ConnectedClient> {
  interface AiTool {
    execute(args: Arguments, options: object): Promise<unknown>
  }
  interface AiClient {
    tools(): Promise<Record<string, AiTool>>
    close(): Promise<void>
  }
  const { createMCPClient } = await load<{ createMCPClient(options: object): Promise<AiClient> }>(
    '@ai-sdk/mcp',
  )
  const { Experimental_StdioMCPTransport: StdioTransport } = await load<{
    Experimental_StdioMCPTransport: new (options: object) => object
  }>('@ai-sdk/mcp/mcp-stdio')
  const transport =
    'url' in target
      ? { type: 'http', url: target.url, headers: headers(target.token) }
      : new StdioTransport({ command: target.command, args: target.args, env: environment() })
  const client = await createMCPClient({ transport })
  const tools = await client.tools()
  return {
    list: async () => Object.keys(tools),
    call: async (tool, args, abortSignal) =>
      JSON.stringify(await tools[tool]!.execute(args, { toolCallId: 'call', messages: [], abortSignal })),
    close: () => client.close(),
  }
}

async function connectOpenAiAgents(target: GatewayTarget): Promise<ConnectedClient> {
  interface AgentsServer {
    connect(): Promise<void>
    listTools(): Promise<{ name: string }[]>
    callTool(
      name: string,
      args: Arguments,
      meta: null,
      options: { signal?: AbortSignal | undefined },
    ): Promise<unknown>
    close(): Promise<void>
  }
  type ServerClass = new (options: object) => AgentsServer
  const { MCPServerStdio, MCPServerStreamableHttp } =
    await load<Record<'MCPServerStdio' | 'MCPServerStreamableHttp', ServerClass>>('@openai/agents')
  const server =
    'url' in target
      ? new MCPServerStreamableHttp({ url: target.url, requestInit: { headers: headers(target.token) } })
      : new MCPServerStdio({ command: target.command, args: target.args, env: environment() })
  await server.connect()
  return {
    list: async () => (await server.listTools()).map(({ name }) => name),
    call: async (tool, args, signal) => JSON.stringify(await server.callTool(tool, args, null, { signal })),
    close: () => server.close(),
  }
}

async function connectLangChain(target: GatewayTarget): Promise<ConnectedClient> {
  interface LangChainTool {
    readonly name: string
    invoke(args: Arguments, options: { signal?: AbortSignal | undefined }): Promise<unknown>
  }
  interface LangChainClient {
    getTools(): Promise<LangChainTool[]>
    close(): Promise<void>
  }
  const { MultiServerMCPClient } = await load<{
    MultiServerMCPClient: new (options: object) => LangChainClient
  }>('@langchain/mcp-adapters')
  const curfew =
    'url' in target
      ? { transport: 'http', url: target.url, headers: headers(target.token) }
      : { transport: 'stdio', command: target.command, args: target.args, env: environment() }
  const client = new MultiServerMCPClient({ mcpServers: { curfew } })
  const tools = await client.getTools()
  const find = (tool: string): LangChainTool => tools.find(({ name }) => name === tool)!
  return {
    list: async () => tools.map(({ name }) => name),
    call: async (tool, args, signal) => JSON.stringify(await find(tool).invoke(args, { signal })),
    close: () => client.close(),
  }
}

/** A program that makes a remote server available over stdio, used by an SDK client. */
async function connectThroughMcpRemote(target: GatewayTarget): Promise<ConnectedClient> {
  if (!('url' in target)) throw new Error('mcp-remote connects only to URLs')
  const program = join(modules, 'mcp-remote/dist/proxy.js')
  const header = `Authorization:Bearer ${target.token}`
  const args = [program, target.url, '--transport', 'http-only', '--allow-http', '--header', header]
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: environment() }))
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, signal) =>
      JSON.stringify(await client.callTool({ name, arguments: args }, signal && { signal })),
    close: () => client.close(),
  }
}
