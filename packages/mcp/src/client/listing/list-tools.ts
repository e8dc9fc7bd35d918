import {
  type Client,
  isSpecType,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  type Tool,
} from '@modelcontextprotocol/client'

/** The SDK's own limit. */
const maxPages = 64
/** For all tools of a server: they are kept in memory and in a file. */
export const maxToolBytes: number = 8 << 20

interface Page {
  readonly tools: readonly unknown[]
  readonly nextCursor?: unknown
}

/** Fetches all tools of a server. The SDK rejects a whole list because of one invalid tool; then each is validated separately. */
export async function listTools(
  client: Client,
  options: RequestOptions,
  report: (problem: string) => void,
): Promise<readonly Tool[]> {
  try {
    return (await client.listTools({}, { ...options, cacheMode: 'refresh' })).tools
  } catch (error) {
    if (!(error instanceof SdkError) || error.code !== SdkErrorCode.InvalidResult) throw error
  }
  const tools: Tool[] = []
  let bytes = 0
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const params = cursor === undefined ? {} : { cursor }
    const page = await client.request({ method: 'tools/list', params }, pageSchema, options)
    for (const tool of page.tools) {
      if (isSpecType.Tool(tool)) tools.push(tool as Tool)
      else report(`the tool ${nameOf(tool)} is left out: its definition is invalid`)
      bytes += JSON.stringify(tool).length
    }
    // Further tools would not be used.
    if (typeof page.nextCursor !== 'string' || bytes > maxToolBytes) return tools
    cursor = page.nextCursor
  }
  throw new Error(`its list of tools has more than ${maxPages} pages`)
}

const pageSchema: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'curfew',
    validate: (value: unknown) =>
      Array.isArray((value as Page | null)?.tools)
        ? { value: value as Page }
        : { issues: [{ message: 'expected `tools` to be an array' }] },
  },
}

function nameOf(tool: unknown): string {
  const name = (tool as { name?: unknown } | null)?.name
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : 'without a name'
}
