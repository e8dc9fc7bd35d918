import type { McpHost } from '@curfew/agent'
import { CurfewError, executeToolCall, type Vault } from '@curfew/core'
import type { ConfigProblem } from '@curfew/extensions'
import { partsOfContent, requestTool, type Upstream } from '@curfew/mcp'

interface McpHostOptions {
  readonly upstreams: readonly Upstream[]
  readonly vault: Vault
  readonly problems: readonly ConfigProblem[]
  /** Shows what the run waits for. Returns a function that ends it. */
  readonly track: (what: string) => () => void
}

/** The prompts and resources of the configured servers. Every request is bounded like a call to the server. */
export function mcpHost({ upstreams, vault, problems, track }: McpHostOptions): McpHost {
  const find = (server: string): Upstream => {
    const found = upstreams.find(({ name }) => name === server)
    if (found === undefined)
      throw new CurfewError('TOOL_NOT_FOUND', `there is no MCP server ${JSON.stringify(server)}`)
    return found
  }
  const prompts = () =>
    upstreams.flatMap((upstream) =>
      (upstream.listing?.prompts ?? []).map((prompt) => ({
        upstream,
        prompt,
        name: `mcp__${upstream.name}__${prompt.name}`,
      })),
    )
  const request = async (
    upstream: Upstream,
    method: string,
    params: object,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> => {
    const done = track(`the MCP server ${upstream.name} (${method})`)
    try {
      const value = await executeToolCall(requestTool(upstream), { method, params }, { signal, vault })
      return Object(value) as Record<string, unknown>
    } finally {
      done()
    }
  }
  return {
    servers: () => upstreams.map(({ name }) => name),
    run: async ([first]) => {
      if (first !== undefined)
        return { type: 'error', message: `/mcp only lists the servers; run curfew mcp ${first} in a shell` }
      return {
        type: 'table',
        columns: ['server', 'tools', 'prompts', 'resources', 'problem'],
        rows: upstreams.map(({ name, listing }) => [
          name,
          ...[listing?.tools, listing?.prompts, listing?.resources].map((list) =>
            String(list?.length ?? '-'),
          ),
          problems.find(({ field }) => field === `mcpServers.${name}`)?.message ?? '',
        ]),
        note: 'curfew mcp test checks them.',
      }
    },
    prompts: () =>
      prompts().map(({ name, prompt: { description, arguments: args = [] } }) => ({
        name,
        description,
        arguments: args,
      })),
    async getPrompt(name, args, signal) {
      const found = prompts().find((one) => one.name === name)
      if (found === undefined)
        throw new CurfewError('TOOL_NOT_FOUND', `there is no prompt ${JSON.stringify(name)}`)
      const params = { name: found.prompt.name, arguments: args }
      const { messages } = await request(found.upstream, 'prompts/get', params, signal)
      return (Array.isArray(messages) ? messages : []).map((message) => {
        const { role, content } = Object(message) as { role?: unknown; content?: unknown }
        return {
          role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
          parts: partsOfContent(content),
        }
      })
    },
    async readResource(server, uri, signal) {
      const { contents } = await request(find(server), 'resources/read', { uri }, signal)
      const resources = Array.isArray(contents) ? contents : []
      return partsOfContent(resources.map((resource: unknown) => ({ type: 'resource', resource })))
    },
  }
}
