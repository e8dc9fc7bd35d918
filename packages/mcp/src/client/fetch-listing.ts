import { messageOf } from '@curfew/core/adapter'
import {
  type Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Tool,
} from '@modelcontextprotocol/client'
import type { ListKind } from './connection.ts'
import { listTools } from './list-tools.ts'
import type { ServerListing } from './server-state.ts'

/** A definition that is larger would only fill a model's window. */
const mostDefinitionBytes = 1 << 18
const mostTools = 2_000
/** All of them together: they are kept in memory and in a file. */
const mostToolBytes = 8 << 20
/** Of prompts, of resources, and of their templates. */
const mostItems = 10_000
const mostItemBytes = 8 << 20

/** What a server offers: the lists that are asked for are fetched, the others stay as they were known. */
export async function fetchListing(
  client: Client,
  known: ServerListing | null,
  lists: ReadonlySet<ListKind>,
  options: RequestOptions,
  report: (problem: string) => void,
): Promise<ServerListing> {
  const capabilities = client.getServerCapabilities() ?? {}
  const fresh = { ...options, cacheMode: 'refresh' as const }
  const fetched = async <T>(
    wanted: boolean,
    before: readonly T[],
    fetch: () => Promise<readonly T[]>,
  ): Promise<readonly T[]> => (wanted ? await fetch() : before)
  /** Without these a server is still of use. */
  const optional = async <T>(
    wanted: boolean,
    before: readonly T[],
    fetch: () => Promise<readonly T[]>,
  ): Promise<readonly T[]> => {
    try {
      const items = await fetched(wanted, before, fetch)
      const kept = items.slice(0, howMany(items))
      if (kept.length < items.length)
        report(`only the first ${kept.length} of ${items.length} things it lists are used`)
      return kept
    } catch (error) {
      if (!isUnknownMethod(error)) report(messageOf(error))
      return before
    }
  }
  const hasResources = lists.has('resources') && capabilities.resources !== undefined
  const [tools, prompts, resources, templates] = await Promise.all([
    fetched(lists.has('tools') && capabilities.tools !== undefined, known?.tools ?? [], async () =>
      usable(await listTools(client, options, report), report),
    ),
    optional(
      lists.has('prompts') && capabilities.prompts !== undefined,
      known?.prompts ?? [],
      async () => (await client.listPrompts({}, fresh)).prompts,
    ),
    optional(
      hasResources,
      known?.resources ?? [],
      async () => (await client.listResources({}, fresh)).resources,
    ),
    optional(
      hasResources,
      known?.templates ?? [],
      async () => (await client.listResourceTemplates({}, fresh)).resourceTemplates,
    ),
  ])
  return {
    era: client.getProtocolEra() ?? 'legacy',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    server: client.getServerVersion() ?? null,
    instructions: client.getInstructions() ?? null,
    capabilities,
    tools,
    prompts,
    resources,
    templates,
  }
}

/** Servers say anything: what cannot be a tool is left out, and of two with one name the first counts. */
function usable(tools: readonly Tool[], report: (problem: string) => void): readonly Tool[] {
  const names = new Set<string>()
  const kept: Tool[] = []
  let bytes = 0
  for (const tool of tools) {
    const { name } = tool
    const size = JSON.stringify(tool).length
    if (kept.length === mostTools || bytes + size > mostToolBytes) {
      report(`it has ${tools.length} tools; only the first ${kept.length} are used`)
      break
    }
    if (name.trim() === '') report('a tool without a name is left out')
    else if (names.has(name)) report(`a second tool named ${JSON.stringify(name)} is left out`)
    else if (size > mostDefinitionBytes)
      report(
        `the tool ${JSON.stringify(name)} is left out: its definition has more than ${mostDefinitionBytes} bytes`,
      )
    else {
      kept.push(tool)
      bytes += size
    }
    names.add(name)
  }
  return kept
}

function howMany(items: readonly unknown[]): number {
  let bytes = 0
  const end = items.findIndex((item, index) => {
    bytes += JSON.stringify(item).length
    return index >= mostItems || bytes > mostItemBytes
  })
  return end < 0 ? items.length : end
}

function isUnknownMethod(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return (
    code === -32_601 ||
    (error instanceof SdkError && error.code === SdkErrorCode.MethodNotSupportedByProtocolVersion)
  )
}
