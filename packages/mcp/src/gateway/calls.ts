import type { CallResult, Runtime, View } from '@curfew/core'
import {
  type CallToolResult,
  type HandlerResultTypeMap,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { Upstream } from '../client/upstream.ts'
import { requestToolName } from '../client/upstream-tools.ts'
import { toCallToolResult, toRequestResult } from './call-result.ts'
import { type Catalog, definitionOf } from './catalog.ts'
import type { Exchange } from './exchange.ts'
import type { Fields } from './fields.ts'
import type { Readiness } from './readiness.ts'
import type { Routes } from './routes.ts'
import { signQuestions } from './signed-questions.ts'
import type { UpstreamLists } from './upstream-lists.ts'
import { whyUnknown } from './why-unknown.ts'

export interface CallsOptions {
  readonly runtime: Runtime
  readonly routes: Routes
  readonly catalog: Catalog
  readonly lists: UpstreamLists
  readonly readiness: Readiness
  readonly view: View
  /** There is more than one server: a person must see which of them asks. */
  readonly several: boolean
  /** So much text of a result is passed on. */
  readonly maxContentLength: number
  /** Tools of our own that could not be loaded, with the reason. */
  readonly missingTools: ReadonlyMap<string, string>
}

/** Beside the calls of tools, what one of the servers answers. */
export type ForwardedMethod = 'prompts/get' | 'resources/read' | 'completion/complete'

/** What clients ask for, as calls of the runtime: each ends on time. */
export class Calls {
  readonly #options: CallsOptions

  constructor(options: CallsOptions) {
    this.#options = options
  }

  /** `tools/call`. */
  async call(exchange: Exchange, name: string, params: Fields, turn: string): Promise<CallToolResult> {
    const { catalog, readiness } = this.#options
    if (catalog.get(name) === undefined) await readiness.wait(exchange.signal, 'tools')
    const entry = catalog.get(name)
    if (entry === undefined) throw this.#unknownTool(name)
    const result = await this.#execute(exchange, entry.tool.name, params, turn)
    if (result.status === 'success' && result.loaded) {
      const definition = JSON.stringify(definitionOf(entry, 'brief'))
      const text = `${name} is loaded and did not run. Call it again with arguments for:\n${definition}`
      return { content: [{ type: 'text', text }] }
    }
    return this.#signed(
      entry.upstream?.upstream,
      toCallToolResult(result, entry, this.#options.maxContentLength),
    )
  }

  /** Any other request that one of the servers answers. */
  async forward<M extends ForwardedMethod>(
    exchange: Exchange,
    method: M,
    params: Fields,
    turn: string,
  ): Promise<HandlerResultTypeMap[M]> {
    const { readiness, lists } = this.#options
    // Whoever lists it answers at once; the others may be long in coming.
    if (!lists.isListed(method, params)) await readiness.wait(exchange.signal, 'all')
    const { upstream, own } = lists.ownerOf(method, params)
    const result = await this.#execute(exchange, requestToolName(upstream), { method, params: own }, turn)
    return this.#signed(upstream, toRequestResult(result, upstream)) as HandlerResultTypeMap[M]
  }

  #signed<R extends Fields>(upstream: Upstream | undefined, result: R): R {
    return upstream === undefined || !this.#options.several ? result : signQuestions(upstream.name, result)
  }

  async #execute(exchange: Exchange, name: string, params: Fields, turn: string): Promise<CallResult> {
    const { routes, runtime } = this.#options
    const remove = routes.add(exchange)
    try {
      const calls = [{ id: exchange.id, name, params }]
      const [result] = await runtime.execute(calls, { signal: exchange.signal, turn })
      return result!
    } finally {
      remove()
    }
  }

  #unknownTool(name: string): ProtocolError {
    const { catalog, readiness, missingTools, view } = this.#options
    const names = [...catalog.entries].map((entry) => entry.name)
    const why = whyUnknown(name, { names, missing: readiness.missing, missingTools, view })
    return new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `there is no tool ${JSON.stringify(name)}; ${why}`,
    )
  }
}
