import type { CallResult, ExecuteOptions, Runtime } from '@curfew/core'
import type { View } from '@curfew/core/internal'
import {
  type CallToolResult,
  type HandlerResultTypeMap,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { requestToolName } from '../client/tools/upstream-tools.ts'
import type { Upstream } from '../client/upstream.ts'
import { type Catalog, definitionOf } from './catalog.ts'
import type { ClientConnections } from './client-connections.ts'
import type { ClientRequest } from './client-request.ts'
import { explainUnknownTool, ownerOf } from './explain-unknown-tool.ts'
import type { Fields } from './json-object.ts'
import { labelQuestions } from './label-questions.ts'
import type { MergedLists } from './merged-lists.ts'
import type { MessageRouter } from './message-router.ts'
import { callWaitMs, type Readiness } from './readiness.ts'
import { toCallToolResult, toRequestResult, withNotices } from './to-call-tool-result.ts'

export interface RuntimeCallsOptions {
  readonly runtime: Runtime
  readonly routes: MessageRouter
  readonly catalog: Catalog
  readonly lists: MergedLists
  readonly readiness: Readiness
  readonly connections: ClientConnections
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

/** The turn that a call belongs to, or only counts in. */
export type CallTurn = Pick<ExecuteOptions, 'turn' | 'budget'>

/** What clients ask for, as calls of the runtime: each ends on time. */
export class RuntimeCalls {
  readonly #options: RuntimeCallsOptions

  constructor(options: RuntimeCallsOptions) {
    this.#options = options
  }

  /** `tools/call`. */
  async call(exchange: ClientRequest, name: string, params: Fields, turn: CallTurn): Promise<CallToolResult> {
    const { catalog, readiness } = this.#options
    if (catalog.get(name) === undefined) await readiness.wait(exchange.signal, 'tools', callWaitMs)
    if (catalog.get(name) === undefined) await this.#startWithKey(exchange, name, turn)
    const entry = catalog.get(name)
    if (entry === undefined) throw this.#unknownTool(name)
    const result = await this.#execute(exchange, entry.tool.name, params, turn)
    if (result.status === 'success' && result.loaded) {
      const definition = JSON.stringify(definitionOf(entry, 'brief'))
      const text = `${name} is loaded and did not run. Call it again with arguments for:\n${definition}`
      return withNotices({ content: [{ type: 'text', text }] }, result.notices)
    }
    const { maxContentLength } = this.#options
    const listsOutputSchema = catalog.listed(name)?.outputSchema !== undefined
    return this.#signed(
      entry.upstream?.upstream,
      toCallToolResult(result, { entry, listsOutputSchema, maxContentLength }),
    )
  }

  /** A server that was never seen because it lacks a key: the person is asked for it, as in a call of a known tool. */
  async #startWithKey(exchange: ClientRequest, name: string, turn: CallTurn): Promise<void> {
    const owner = ownerOf(name, this.#options.readiness.missing)
    if (owner?.problem?.code !== 'CREDENTIAL_REQUIRED') return
    await this.#execute(exchange, requestToolName(owner), { method: 'ping', params: {} }, turn)
  }

  /** Any other request that one of the servers answers. */
  async forward<M extends ForwardedMethod>(
    exchange: ClientRequest,
    method: M,
    params: Fields,
    turn: CallTurn,
  ): Promise<HandlerResultTypeMap[M]> {
    const { readiness, lists } = this.#options
    // Whoever lists it answers at once; the others may be long in coming.
    if (!lists.isListed(method, params)) await readiness.wait(exchange.signal, 'all', callWaitMs)
    const { upstream, own } = lists.ownerOf(method, params)
    const result = await this.#execute(exchange, requestToolName(upstream), { method, params: own }, turn)
    return this.#signed(upstream, toRequestResult(result, upstream)) as HandlerResultTypeMap[M]
  }

  #signed<R extends Fields>(upstream: Upstream | undefined, result: R): R {
    if (upstream === undefined) return result
    return labelQuestions(this.#options.several ? upstream.name : null, result)
  }

  async #execute(exchange: ClientRequest, name: string, params: Fields, turn: CallTurn): Promise<CallResult> {
    const { routes, runtime, connections } = this.#options
    const remove = routes.add(exchange)
    try {
      const calls = [{ id: exchange.id, name, params }]
      const [result] = await runtime.execute(calls, { signal: exchange.signal, ...turn })
      return result!
    } finally {
      remove()
      if (!exchange.lasting) connections.end(exchange.client)
    }
  }

  #unknownTool(name: string): ProtocolError {
    const { catalog, readiness, missingTools, view } = this.#options
    const names = [...catalog.entries].map((entry) => entry.name)
    const why = explainUnknownTool(name, { names, missing: readiness.missing, missingTools, view })
    return new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `there is no tool ${JSON.stringify(name)}; ${why}`,
    )
  }
}
