import { messageOf } from '@curfew/core/internal'
import {
  type Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Tool,
} from '@modelcontextprotocol/client'
import type { ListKind } from '../connection/create-client.ts'
import { countWithinLimits } from '../state/count-within-limits.ts'
import { instructionsName, maxInstructionsLength } from '../state/pinned-instructions.ts'
import type { FetchedListing } from '../state/server-state.ts'
import { listTools, maxToolBytes } from './list-tools.ts'

/** A larger definition would only fill a model's context window. */
const maxDefinitionBytes = 1 << 18
const maxTools = 2_000
/** For prompts, resources and templates each. */
const maxItems = 10_000
const maxItemBytes = 8 << 20

export interface ListingRequest {
  readonly client: Client
  /** The lists to fetch; the others are `null`. */
  readonly lists: ReadonlySet<ListKind>
  readonly options: RequestOptions
  readonly report: (problem: string, list: ListKind) => void
}

/** Fetches what a server offers. A list that it no longer supports becomes empty. */
export async function fetchListing(request: ListingRequest): Promise<FetchedListing> {
  const { client, options } = request
  const capabilities = client.getServerCapabilities() ?? {}
  const fresh = { ...options, cacheMode: 'refresh' as const }
  const [tools, prompts, resources, templates] = await Promise.all([
    fetchTools(request),
    fetchOptional(request, 'prompts', async () => (await client.listPrompts({}, fresh)).prompts),
    fetchOptional(request, 'resources', async () => (await client.listResources({}, fresh)).resources),
    fetchOptional(
      request,
      'resources',
      async () => (await client.listResourceTemplates({}, fresh)).resourceTemplates,
    ),
  ])
  return {
    era: client.getProtocolEra() ?? 'legacy',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    server: client.getServerVersion() ?? null,
    instructions: client.getInstructions()?.trim().slice(0, maxInstructionsLength) || null,
    capabilities,
    tools,
    prompts,
    resources,
    templates,
  }
}

async function fetchTools({
  client,
  lists,
  options,
  report,
}: ListingRequest): Promise<readonly Tool[] | null> {
  if (!lists.has('tools')) return null
  if (client.getServerCapabilities()?.tools === undefined) return []
  const reportTools = (problem: string): void => report(problem, 'tools')
  return usableTools(await listTools(client, options, reportTools), reportTools)
}

/** A server is usable without prompts and resources, so a failure is only reported; the known ones are kept. */
async function fetchOptional<T>(
  { client, lists, report }: ListingRequest,
  kind: 'prompts' | 'resources',
  fetch: () => Promise<readonly T[]>,
): Promise<readonly T[] | null> {
  if (!lists.has(kind)) return null
  if (client.getServerCapabilities()?.[kind] === undefined) return []
  try {
    const items = await fetch()
    const kept = items.slice(0, countWithinLimits(items, maxItems, maxItemBytes))
    if (kept.length < items.length)
      report(`it lists ${items.length} ${kind}; only the first ${kept.length} are used`, kind)
    return kept
  } catch (error) {
    if (isUnknownMethod(error)) return []
    report(messageOf(error), kind)
    return null
  }
}

/** Leaves out tools that cannot be used; of two with the same name, the first counts. */
function usableTools(tools: readonly Tool[], report: (problem: string) => void): readonly Tool[] {
  const names = new Set<string>()
  const kept: Tool[] = []
  let bytes = 0
  for (const tool of tools) {
    const { name } = tool
    const size = JSON.stringify(tool).length
    if (kept.length === maxTools || bytes + size > maxToolBytes) {
      report(`it has ${tools.length} tools; only the first ${kept.length} are used`)
      break
    }
    if (name.trim() === '') report('a tool without a name is left out')
    else if (name === instructionsName) report(`a tool named ${name} is left out: the name is reserved`)
    else if (names.has(name)) report(`a second tool named ${JSON.stringify(name)} is left out`)
    else if (size > maxDefinitionBytes)
      report(
        `the tool ${JSON.stringify(name)} is left out: its definition has more than ${maxDefinitionBytes} bytes`,
      )
    else {
      kept.push(tool)
      bytes += size
    }
    names.add(name)
  }
  return kept
}

function isUnknownMethod(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return (
    code === -32_601 ||
    (error instanceof SdkError && error.code === SdkErrorCode.MethodNotSupportedByProtocolVersion)
  )
}
