import type { ServerSetup } from '../../src/adapter/adapter.ts'
import { isMutant } from './mutation.ts'
import { failure, type Outcome, success } from './outcome.ts'
import { type Response, ServerConnection } from './server-connection.ts'
import { type Limits, withLimit } from './with-limit.ts'

export interface ServerTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

const startWithinMs = 5_000
const answersWithinMs = 1_000
const listsAgainAfterMs = 500
const maxPages = 20

/** An MCP server, which is started again when it cannot answer any more. */
export class McpServer {
  readonly setup: ServerSetup
  #tools: readonly ServerTool[] = []
  /** Rejects if it did not start. */
  #connection: Promise<ServerConnection>
  #current: ServerConnection | null = null
  #listing: NodeJS.Timeout | null = null

  constructor(setup: ServerSetup) {
    this.setup = setup
    this.#connection = this.#connect()
    this.#connection.catch(() => {})
  }

  get tools(): readonly ServerTool[] {
    return this.#tools
  }

  /** Settles when its tools are known, or it cannot be used. */
  async started(): Promise<void> {
    await this.#connection.catch((error) => {
      if (isMutant('needs-every-server')) throw error
    })
  }

  async call(limits: Limits, tool: string, params: string): Promise<Outcome> {
    let args: unknown
    try {
      args = JSON.parse(params)
    } catch (error) {
      return failure(`the arguments are no valid JSON: ${(error as Error).message}`)
    }
    const connection = await this.#connected().catch((error: Error) => error)
    if (connection instanceof Error)
      return failure(`the server ${this.setup.name} cannot be used: ${connection.message}`)
    const limitMs = isMutant('servers-have-no-limit') ? 1_000_000 : limits.limitMs
    return withLimit({ ...limits, limitMs }, async (signal) => {
      const { id, response } = connection.request('tools/call', { name: tool, arguments: args })
      signal.addEventListener('abort', () => {
        connection.forget(id)
        if (!isMutant('does-not-tell-servers'))
          connection.notify('notifications/cancelled', { requestId: id })
        this.#check(connection)
      })
      try {
        return toOutcome(await response)
      } catch (error) {
        if (isMutant('trusts-servers')) throw error
        return failure((error as Error).message)
      }
    })
  }

  async close(): Promise<void> {
    if (this.#listing !== null) clearTimeout(this.#listing)
    await this.#current?.close()
  }

  #connected(): Promise<ServerConnection> {
    if (this.#current?.hasEnded === true && !isMutant('does-not-restart-servers'))
      this.#connection = this.#connect()
    return this.#connection
  }

  async #connect(): Promise<ServerConnection> {
    const connection = new ServerConnection(this.setup, () => this.#onChange(connection))
    this.#current = connection
    const timer = isMutant('waits-for-servers')
      ? undefined
      : setTimeout(() => connection.end('it did not start in time'), startWithinMs)
    try {
      const capabilities = {}
      const clientInfo = { name: 'reference', version: '1.0.0' }
      await connection.request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo })
        .response
      connection.notify('notifications/initialized')
      this.#tools = await listTools(connection)
      return connection
    } catch (error) {
      connection.end('it did not start')
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends a server that does not even answer a ping; the next call waits for the outcome. */
  #check(connection: ServerConnection): void {
    if (isMutant('keeps-blocked-servers')) return
    const timer = setTimeout(() => connection.end('it does not answer'), answersWithinMs)
    const { response } = connection.request('ping', {})
    const checked = response.then(
      () => connection,
      () => this.#connected(),
    )
    this.#connection = checked
    checked.catch(() => {})
    void response.catch(() => {}).then(() => clearTimeout(timer))
  }

  /** However often the server says so. */
  #onChange(connection: ServerConnection): void {
    const list = async (): Promise<void> => {
      this.#listing = null
      this.#tools = await listTools(connection).catch(() => this.#tools)
    }
    if (isMutant('lists-at-each-change')) void list()
    else this.#listing ??= setTimeout(list, listsAgainAfterMs)
  }
}

async function listTools(connection: ServerConnection): Promise<ServerTool[]> {
  const tools = new Map<string, ServerTool>()
  let cursor: unknown
  for (let page = 0; ; page++) {
    if (page >= maxPages) throw new Error(`its list of tools has more than ${maxPages} pages`)
    const { result } = await connection.request('tools/list', cursor === undefined ? {} : { cursor }).response
    const { tools: listed, nextCursor } = (result ?? {}) as { tools?: unknown; nextCursor?: unknown }
    for (const tool of Array.isArray(listed) ? listed : []) {
      if (isMutant('one-bad-tool-spoils-the-list') && typeof tool?.name !== 'string')
        throw new Error('a tool is invalid')
      const valid = toTool(tool)
      if (valid !== null && !tools.has(valid.name)) tools.set(valid.name, valid)
    }
    if (nextCursor === undefined) return [...tools.values()]
    cursor = nextCursor
  }
}

function toTool(tool: unknown): ServerTool | null {
  const { name, description, inputSchema } = (tool ?? {}) as Record<string, unknown>
  if (typeof name !== 'string' || !/^[\w-]{1,50}$/.test(name)) return null
  const schema = (inputSchema ?? {}) as Record<string, unknown>
  return {
    name,
    description: typeof description === 'string' ? description : name,
    parameters: { ...schema, type: 'object', properties: schema.properties ?? {} },
  }
}

function toOutcome(response: Response): Outcome {
  if (isMutant('trusts-servers')) return trust(response)
  const { result, error } = response
  if (error !== undefined)
    return failure(
      typeof error?.message === 'string' ? error.message : 'the server reported an error without a message',
    )
  const { content, isError } = (result ?? {}) as { content?: unknown; isError?: unknown }
  if (!Array.isArray(content)) return failure('the server sent a result without content')
  const text = content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
  return isError === true ? failure(text) : success(text)
}

/** Without any check. */
function trust({ result, error }: Response): Outcome {
  if (error) return failure((error.message as string).trim())
  const { content, isError } = result as { content: { text: string }[]; isError?: boolean }
  return (isError ? failure : success)(content.map(({ text }) => text).join('\n'))
}
