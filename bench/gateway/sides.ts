import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from './client.ts'
import { eventually } from './eventually.ts'
import { everything } from './programs.ts'
import { startCurfew, startCurfewHttp } from './start-curfew.ts'
import { startDirect, startDirectHttp, startMcpHub, startMcpProxy, startSupergateway } from './start-peers.ts'

/** How to connect to the `echo` tool. */
interface SideDefinition {
  /** The tool's name on this side. */
  readonly tool: string
  start(home: string): Promise<Client>
}

const servers = { everything: [...everything, 'stdio'] } as const

const definitions = {
  'direct stdio': { tool: 'echo', start: startDirect },
  'curfew stdio': { tool: 'mcp__everything__echo', start: (home) => startCurfew(home, servers, []) },
  'direct HTTP': { tool: 'echo', start: startDirectHttp },
  'curfew HTTP': { tool: 'mcp__everything__echo', start: (home) => startCurfewHttp(home, servers) },
  'mcp-proxy': { tool: 'echo', start: startMcpProxy },
  supergateway: { tool: 'echo', start: startSupergateway },
  'mcp-hub': { tool: 'everything__echo', start: startMcpHub },
} satisfies Record<string, SideDefinition>

export type SideName = keyof typeof definitions

export const sideNames = Object.keys(definitions) as readonly SideName[]

export interface McpSide {
  readonly name: SideName
  /** Checks the response, because an error can be faster than an echo. */
  echo(message: string): Promise<void>
}

/** Starts all sides, each with its own server-everything. */
export async function startSides(home: string): Promise<McpSide[]> {
  const sides: McpSide[] = []
  for (const name of sideNames) sides.push(await startSide(name, join(home, name.replace(' ', '-'))))
  return sides
}

async function startSide(name: SideName, home: string): Promise<McpSide> {
  const { tool, start } = definitions[name]
  try {
    await mkdir(home)
    const client = await start(home)
    const echo = async (message: string): Promise<void> => {
      const result = await client.request('tools/call', { name: tool, arguments: { message } })
      const { content } = result as { content: readonly { text: string }[] }
      if (content[0]?.text !== `Echo: ${message}`)
        throw new Error(`expected an echo, got ${JSON.stringify(result)}`)
    }
    // A gateway may listen before its server has started.
    await eventually(() => echo('ready?'))
    return { name, echo }
  } catch (error) {
    throw new Error(`${name} could not be started`, { cause: error })
  }
}
